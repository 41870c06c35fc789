/* SPDX-License-Identifier: MIT */
/* Launches and occupancy on NVIDIA's platform: what the tables cannot say. */
#ifndef HIP_NVIDIA_DETAIL_API_LAUNCH_H
#define HIP_NVIDIA_DETAIL_API_LAUNCH_H

static inline hipError_t
hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG *config, hipFunction_t f, void **params, void **extra)
{
    CUlaunchConfig cuda;

    if (!config)
        return hipErrorInvalidValue;
    memset(&cuda, 0, sizeof(cuda));
    cuda.gridDimX = config->gridDimX;
    cuda.gridDimY = config->gridDimY;
    cuda.gridDimZ = config->gridDimZ;
    cuda.blockDimX = config->blockDimX;
    cuda.blockDimY = config->blockDimY;
    cuda.blockDimZ = config->blockDimZ;
    cuda.sharedMemBytes = config->sharedMemBytes;
    cuda.hStream = config->hStream;
    cuda.attrs = (CUlaunchAttribute *)config->attrs; /* the driver's attribute is the runtime's */
    cuda.numAttrs = config->numAttrs;
    return LS_NV_CU(cuLaunchKernelEx, (&cuda, f, params, extra));
}

static inline hipError_t
hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, const void *function,
                                  size_t dynSharedMemPerBlk, int blockSizeLimit)
{
    cudaFunction_t handle;
    cudaError_t error = cudaGetFuncBySymbol(&handle, function);

    if (error != cudaSuccess)
        return hipCUDAErrorTohipError(error);
    return LS_NV_CU(cuOccupancyMaxPotentialBlockSize,
                    (gridSize, blockSize, (CUfunction)handle, 0, dynSharedMemPerBlk,
                     blockSizeLimit));
}

#endif
