# SPDX-License-Identifier: MIT
# HIP without a GPU, in an image: docker build -t lockstep . && docker run --rm -v "$PWD:/work" lockstep hipcc -O3 saxpy.hip -o saxpy
FROM debian:bookworm AS build
COPY . /src
WORKDIR /src
RUN apt-get update && apt-get install -y --no-install-recommends make file dpkg-dev && ./lockstep build
RUN cd build && cpack -G DEB

FROM debian:bookworm-slim
COPY --from=build /src/build/lockstep-*.deb /tmp/
RUN apt-get update && apt-get install -y --no-install-recommends /tmp/lockstep-*.deb cmake make && rm -rf /tmp/*.deb /var/lib/apt/lists/*
ENV PATH=/opt/rocm/bin:$PATH ROCM_PATH=/opt/rocm
WORKDIR /work
CMD ["bash"]
