# SPDX-License-Identifier: MIT
# wrap.cmake: -DTABLE=hip_api.def -DHEADERS="a.h;b.h" -DRENAME=out.h -DWRAP=out.c
# Writes a wrapper for each function of the table whose prototype the headers have and which returns hipError_t, so
# that all can be watched and answer alike where there is no device, and a header that gives the functions themselves
# another name.
set(text "")
foreach(header ${HEADERS})
    file(READ ${header} one)
    string(APPEND text "${one}")
endforeach()
string(REPLACE ";" "@" text "${text}")
string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" " " text "${text}")
string(REGEX REPLACE "#[^\n]*" " " text "${text}")
string(REGEX REPLACE "LS_HIP_OPT\\(([^()]|\\([^()]*\\))*\\)" " " text "${text}")
string(REGEX REPLACE "[ \t\r\n]+" " " text "${text}")

# name -> parameters, for every prototype
string(REGEX MATCHALL "hipError_t hip[A-Za-z0-9_]+\\([^@{]*\\) ?@" prototypes "${text}")
foreach(prototype ${prototypes})
    string(REGEX MATCH "^hipError_t (hip[A-Za-z0-9_]+)\\((.*)\\) ?@$" found "${prototype}")
    set(params_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()

# The headers' own renamings of functions.
set(params_hipGetDevicePropertiesR0600 "${params_hipGetDeviceProperties}")
set(params_hipChooseDeviceR0600 "${params_hipChooseDevice}")

# Cancellation of the thread is put off in every call (base/cancel.h) but these, which take less time than that does: what
# they do seldom (code to be made, waits, messages) puts it off itself.
set(quick
    __hipPopCallConfiguration __hipPushCallConfiguration
    hipDrvLaunchKernelEx hipExtLaunchKernel hipExtModuleLaunchKernel hipGraphLaunch hipGraphLaunch_spt hipLaunchKernel
    hipLaunchKernelExC hipLaunchKernel_spt hipModuleLaunchKernel
    hipEventQuery hipEventRecord hipEventRecordWithFlags hipEventRecord_spt hipStreamQuery hipStreamQuery_spt
    hipStreamWaitEvent hipStreamWaitEvent_spt
    hipFreeAsync hipMallocAsync hipMallocFromPoolAsync hipPointerGetAttributes
    hipMemcpy hipMemcpy_spt hipMemcpyAsync hipMemcpyAsync_spt hipMemcpyWithStream hipMemcpyDtoD hipMemcpyDtoDAsync
    hipMemcpyDtoH hipMemcpyDtoHAsync hipMemcpyHtoD hipMemcpyHtoDAsync
    hipMemset hipMemset_spt hipMemsetAsync hipMemsetAsync_spt hipMemsetD16Async hipMemsetD32Async hipMemsetD8Async
    hipGetDevice hipGetLastError hipPeekAtLastError hipSetDevice)
# NAME_spt with a stream is NAME on that stream, where the null stream means the thread's own; those without one wait, and
# are written by hand beside what they share with NAME. These take the legacy
# stream for the null stream, too.
set(legacy_too
    hipGraphLaunch hipStreamBeginCapture hipStreamEndCapture hipStreamIsCapturing hipStreamGetCaptureInfo
    hipStreamGetCaptureInfo_v2)
file(STRINGS ${TABLE} rows)
set(rename "/* Generated from hip_api.def: do not edit. */\n")
set(wrap "${rename}#include <hip/hip_runtime_api.h>\n#include <hip/detail/per_thread_api.h>\n#include <hip/hip_ext.h>\n\n#include \"base/cancel.h\"\n#include \"runtime/entry/call.h\"\n#include \"runtime/entry/gate.h\"\n\n#define EXPORT __attribute__((visibility(\"default\")))\n#define SLOW   __attribute__((noinline, cold)) static\n")
set(row 0)
foreach(line ${rows})
    math(EXPR row "${row} + 1")
    if(NOT line MATCHES "^LS_API([A-Z_]*)\\([a-z0-9_]+, ([A-Za-z0-9_]+)\\)")
        continue()
    endif()
    set(name ${CMAKE_MATCH_2})
    if(CMAKE_MATCH_1 STREQUAL "_ANYWHERE")
        set(needs_device false)
    else()
        set(needs_device true)
    endif()
    if(name MATCHES "^(hipGetDeviceProperties|hipChooseDevice)$") # names of ROCm 5
        continue()
    endif()
    if(NOT DEFINED params_${name} OR params_${name} STREQUAL "")
        continue()
    endif()
    set(params "${params_${name}}")
    set(args "")
    set(logs "")
    set(thread_args "")
    set(base "")
    if(params MATCHES "hipStream_t ")
        if(name MATCHES "^(.*)_spt$")
            set(base ${CMAKE_MATCH_1})
        endif()
    endif()
    if(NOT params STREQUAL "void")
        string(REPLACE "," ";" list "${params}")
        foreach(param ${list})
            string(REGEX MATCH "([A-Za-z0-9_]+)(\\[[^]]*\\])? *$" found "${param}")
            set(arg ${CMAKE_MATCH_1})
            list(APPEND args ${arg})
            if(base AND param MATCHES "hipStream_t ")
                list(FIND legacy_too ${base} is_legacy_too)
                if(is_legacy_too EQUAL -1)
                    list(APPEND thread_args "${arg} ? ${arg} : hipStreamPerThread")
                else()
                    list(APPEND thread_args "${arg} && ${arg} != hipStreamLegacy ? ${arg} : hipStreamPerThread")
                endif()
            else()
                list(APPEND thread_args ${arg})
            endif()
            string(APPEND logs "    LS_SLOW_ARG(&call, ${arg});\n")
        endforeach()
    endif()
    list(JOIN args ", " args)
    list(JOIN thread_args ", " thread_args)
    set(uncancelled "    LS_UNCANCELLED();\n")
    list(FIND quick ${name} is_quick)
    if(NOT is_quick EQUAL -1)
        set(uncancelled "")
    endif()
    string(APPEND rename "#define ${name} ls_impl_${name}\n")
    set(storage "")
    set(body ";")
    if(base)
        set(storage "static ")
        set(body "\n{\n    return ls_impl_${base}(${thread_args})@\n}")
    endif()
    string(APPEND wrap "
${storage}hipError_t ls_impl_${name}(${params})${body}
SLOW hipError_t slow_${name}(${params})
{
    struct ls_slow_call call;
    LS_UNCANCELLED();

    ls_slow_begin(&call, \"${name}\", ${row});
${logs}    hipError_t err = ls_slow_start(&call, ${needs_device});
    return ls_slow_end(&call, err == hipSuccess ? ls_impl_${name}(${args}) : ls_return(err));
}
EXPORT hipError_t ${name}(${params})
{
    hipError_t err;
${uncancelled}
    err = __builtin_expect(ls_call_begin(), 0) ? slow_${name}(${args}) : ls_impl_${name}(${args});
    ls_call_end();
    return err;
}
")
endforeach()
string(REPLACE "@" ";" wrap "${wrap}")
foreach(out RENAME WRAP)
    string(TOLOWER ${out} var)
    set(old "")
    if(EXISTS ${${out}})
        file(READ ${${out}} old)
    endif()
    if(NOT old STREQUAL "${${var}}")
        file(WRITE ${${out}} "${${var}}")
    endif()
endforeach()
