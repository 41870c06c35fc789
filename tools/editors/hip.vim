" SPDX-License-Identifier: MIT
" Vim: HIP is C++ with these words besides.
if exists("b:current_syntax")
  finish
endif
runtime! syntax/cpp.vim
unlet! b:current_syntax

syn keyword hipQualifier __global__ __device__ __host__ __shared__ __constant__ __managed__
syn keyword hipQualifier __restrict__ __noinline__ __forceinline__ __launch_bounds__ __grid_constant__
syn keyword hipVariable threadIdx blockIdx blockDim gridDim warpSize
syn keyword hipVariable hipThreadIdx_x hipThreadIdx_y hipThreadIdx_z hipBlockIdx_x hipBlockIdx_y hipBlockIdx_z
syn keyword hipVariable hipBlockDim_x hipBlockDim_y hipBlockDim_z hipGridDim_x hipGridDim_y hipGridDim_z
syn keyword hipType dim3 half half2 __half __half2 __hip_bfloat16 __hip_bfloat162
syn match hipType "\<u\?\(char\|short\|int\|long\|longlong\)[1-4]\>"
syn match hipType "\<\(float\|double\)[1-4]\>"
syn match hipType "\<hip[A-Z]\w*_t\>"
syn match hipConstant "\<hip\(Success\|Error[A-Z]\w*\)\>"
syn match hipFunction "\<\(hip[A-Z]\w*\|hiprtc[A-Z]\w*\|HIP_[A-Z_]\+\)\ze\s*("
syn match hipFunction "\<__\(syncthreads\|syncwarp\|threadfence\|shfl\|ballot\|any\|all\|match\|reduce\|activemask\)\w*\ze\s*("
syn match hipFunction "\<atomic\(Add\|Sub\|Exch\|Min\|Max\|Inc\|Dec\|CAS\|And\|Or\|Xor\)\w*\ze\s*("
syn match hipLaunch "<<<\|>>>"

hi def link hipQualifier StorageClass
hi def link hipVariable Identifier
hi def link hipType Type
hi def link hipConstant Constant
hi def link hipFunction Function
hi def link hipLaunch Operator

let b:current_syntax = "hip"
