/* Makes each sync of a process slower, as onelog's own --onelog-sync-delay-us does: the delay is slept after the call,
   by the thread that made it, whether or not the call failed. Preloaded into foreign servers (LD_PRELOAD).

   A sync is fsync, fdatasync, and a write to a descriptor that was opened with O_DSYNC or O_SYNC. Not covered, because no
   server that is measured relies on it for its logs: asynchronous I/O on such descriptors, msync, sync_file_range.

   SYNC_DELAY_US: microseconds. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

static struct timespec delay;

__attribute__((constructor)) static void begin(void) {
  const char *text = getenv("SYNC_DELAY_US");
  long us = text ? atol(text) : 0;
  delay.tv_sec = us / 1000000;
  delay.tv_nsec = us % 1000000 * 1000;
}

static void wait_a_bit(void) {
  int error = errno;
  struct timespec left = delay;
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
  errno = error;
}

static void wait_if_durable(int fd) {
  int error = errno;
  int flags = fcntl(fd, F_GETFL);
  errno = error;
  if (flags != -1 && (flags & (O_DSYNC | O_SYNC))) wait_a_bit();
}

/* The C library's function of that name. */
#define REAL(name) \
  static __typeof__(&name) real; \
  if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

#define SYNC(name) \
  int name(int fd) { \
    REAL(name); \
    int result = real(fd); \
    wait_a_bit(); \
    return result; \
  }

#define WRITE(name, parameters, arguments) \
  ssize_t name parameters { \
    REAL(name); \
    ssize_t result = real arguments; \
    wait_if_durable(fd); \
    return result; \
  }

SYNC(fsync)
SYNC(fdatasync)
WRITE(write, (int fd, const void *from, size_t size), (fd, from, size))
WRITE(writev, (int fd, const struct iovec *from, int count), (fd, from, count))
WRITE(pwrite, (int fd, const void *from, size_t size, off_t at), (fd, from, size, at))
WRITE(pwrite64, (int fd, const void *from, size_t size, off64_t at), (fd, from, size, at))
WRITE(pwritev, (int fd, const struct iovec *from, int count, off_t at), (fd, from, count, at))
WRITE(pwritev64, (int fd, const struct iovec *from, int count, off64_t at), (fd, from, count, at))
