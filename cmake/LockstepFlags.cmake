# SPDX-License-Identifier: MIT
# Warnings and sanitizers: the same for every room.
add_compile_definitions(_GNU_SOURCE)
add_compile_options(
    -Wall -Wextra -Wpedantic -Wshadow
    $<$<COMPILE_LANGUAGE:C>:-Wvla> $<$<COMPILE_LANGUAGE:C>:-Werror=implicit-function-declaration>
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    $<$<BOOL:${LS_WERROR}>:-Werror>)

if(LS_SANITIZE)
    add_compile_options(-fsanitize=${LS_SANITIZE} -fno-omit-frame-pointer -g)
    add_link_options(-fsanitize=${LS_SANITIZE})
    if(LS_SANITIZE MATCHES undefined)
        add_compile_options(-fno-sanitize-recover=undefined)
    endif()
endif()
