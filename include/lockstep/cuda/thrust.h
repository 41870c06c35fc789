/* SPDX-License-Identifier: MIT */
/* Names of Thrust's CUDA system, by rocThrust's. */
#ifndef LOCKSTEP_CUDA_THRUST_H
#define LOCKSTEP_CUDA_THRUST_H

namespace thrust
{
namespace system
{
namespace hip
{
}
namespace cuda = hip;
} // namespace system
namespace hip
{
}
namespace cuda = hip;
} // namespace thrust

#endif
