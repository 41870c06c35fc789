/* SPDX-License-Identifier: MIT */
/* The arithmetic types of the language, for templates that take and give numbers.
 *
 * std::is_arithmetic is not asked: overload resolution would instantiate it for every class that it
 * looks at, and a library that makes a class of its own arithmetic may not specialise the trait any
 * more behind the first use of an operator. */
#ifndef HIP_DETAIL_NUMBERS_H
#define HIP_DETAIL_NUMBERS_H

template <typename T> struct __ls_is_number {
    static constexpr bool value = false;
};

#define LS_HIP_NUMBER(T)                                                                           \
    template <> struct __ls_is_number<T> {                                                         \
        static constexpr bool value = true;                                                        \
    };

LS_HIP_NUMBER(bool)
LS_HIP_NUMBER(char)
LS_HIP_NUMBER(signed char)
LS_HIP_NUMBER(unsigned char)
LS_HIP_NUMBER(wchar_t)
#if defined(__cpp_char8_t)
LS_HIP_NUMBER(char8_t)
#endif
LS_HIP_NUMBER(char16_t)
LS_HIP_NUMBER(char32_t)
LS_HIP_NUMBER(short)
LS_HIP_NUMBER(unsigned short)
LS_HIP_NUMBER(int)
LS_HIP_NUMBER(unsigned int)
LS_HIP_NUMBER(long)
LS_HIP_NUMBER(unsigned long)
LS_HIP_NUMBER(long long)
LS_HIP_NUMBER(unsigned long long)
#if defined(__SIZEOF_INT128__)
__extension__ LS_HIP_NUMBER(__int128)
__extension__ LS_HIP_NUMBER(unsigned __int128)
#endif
LS_HIP_NUMBER(float)
LS_HIP_NUMBER(double)
LS_HIP_NUMBER(long double)
#undef LS_HIP_NUMBER

#endif
