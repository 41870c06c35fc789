/* SPDX-License-Identifier: MIT */
/* What reports share: devices, and how failures are said. */
#ifndef LS_REPORT_DEVICE_H
#define LS_REPORT_DEVICE_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

/* Ends the program with a message, if err is none but hipSuccess. */
void check(const char *program, const char *what, hipError_t err);
/* The number of devices; 0 when there is none. */
int count_devices(const char *program);
/* Whether a device answers as AMD hardware, "gfx...": those of other makers don't. */
bool is_gfx(const hipDeviceProp_t *prop);
/* Calls back with the properties of each device that does. */
void each_gfx(const char *program, void (*each)(const hipDeviceProp_t *prop));

#endif
