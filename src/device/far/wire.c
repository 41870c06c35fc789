/* SPDX-License-Identifier: MIT */
#include "device/far/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

bool
ls_far_send(int sock, struct iovec *parts, unsigned n_parts, const int *fds, unsigned n_fds)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(LS_FAR_FDS * sizeof(int))] = {0};
    struct msghdr msg = {.msg_iov = parts, .msg_iovlen = n_parts};

    if (n_fds) {
        struct cmsghdr *c;

        msg.msg_control = room;
        msg.msg_controllen = CMSG_SPACE(n_fds * sizeof(int));
        c = CMSG_FIRSTHDR(&msg);
        c->cmsg_level = SOL_SOCKET;
        c->cmsg_type = SCM_RIGHTS;
        c->cmsg_len = CMSG_LEN(n_fds * sizeof(int));
        memcpy(CMSG_DATA(c), fds, n_fds * sizeof(int));
    }
    while (msg.msg_iovlen > 0) {
        ssize_t n = sendmsg(sock, &msg, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        msg.msg_control = NULL;
        msg.msg_controllen = 0;
        for (; msg.msg_iovlen > 0 && (size_t)n >= msg.msg_iov->iov_len;
             msg.msg_iov++, msg.msg_iovlen--)
            n -= (ssize_t)msg.msg_iov->iov_len;
        if (msg.msg_iovlen > 0) {
            msg.msg_iov->iov_base = (char *)msg.msg_iov->iov_base + n;
            msg.msg_iov->iov_len -= (size_t)n;
        }
    }
    return true;
}

bool
ls_far_receive(int sock, void *data, size_t bytes)
{
    char *at = data;

    while (bytes > 0) {
        ssize_t n = recv(sock, at, bytes, MSG_WAITALL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        at += n;
        bytes -= (size_t)n;
    }
    return true;
}

bool
ls_far_receive_fds(int sock, void *data, size_t bytes, int *fds, unsigned n_fds)
{
    _Alignas(struct cmsghdr) char room[CMSG_SPACE(LS_FAR_FDS * sizeof(int))];
    struct iovec part = {data, bytes};
    struct msghdr msg = {.msg_iov = &part,
                         .msg_iovlen = 1,
                         .msg_control = room,
                         .msg_controllen = CMSG_SPACE(n_fds * sizeof(int))};
    const struct cmsghdr *c;
    ssize_t n;

    do
        n = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return false;
    for (unsigned i = 0; i < n_fds; i++)
        fds[i] = -1;
    c = CMSG_FIRSTHDR(&msg);
    if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
        memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
    return ls_far_receive(sock, (char *)data + n, bytes - (size_t)n);
}
