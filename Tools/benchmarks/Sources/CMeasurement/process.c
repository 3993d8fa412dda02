#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "measurement.h"

extern char **environ;

typedef struct feed {
    int descriptor;
    const uint8_t *bytes;
    size_t count;
    size_t repetitions;
} feed;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/// The most memory that a running process has had resident at a time; 0 where the system does not say. What `wait4` says
/// on Linux counts the memory of the parent too, which the child shares until it becomes a program of its own.
static long peak_kilobytes(pid_t process) {
    char path[64], line[256];
    long peak = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmHWM: %ld", &peak) == 1) break;
    }
    if (file != NULL) fclose(file);
    return peak;
}

static void *write_all(void *argument) {
    feed *work = argument;
    for (size_t i = 0; i < work->repetitions; i++) {
        for (size_t offset = 0; offset < work->count;) {
            ssize_t written = write(work->descriptor, work->bytes + offset, work->count - offset);
            if (written <= 0) goto end;
            offset += (size_t)written;
        }
    }
end:
    close(work->descriptor);
    return NULL;
}

int measure_process(
    const char *const arguments[], int input, const uint8_t *repeated, size_t repeated_count, size_t repetitions,
    process_figures *figures
) {
    memset(figures, 0, sizeof *figures);
    signal(SIGPIPE, SIG_IGN);
    int in[2] = {-1, -1}, out[2];
    if (pipe2(out, O_CLOEXEC) != 0 || (repeated != NULL && pipe2(in, O_CLOEXEC) != 0)) return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, repeated != NULL ? in[0] : input, 0);
    posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    pid_t child = 0;
    double start = now();
    int status = posix_spawnp(&child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(out[1]);
    if (repeated != NULL) close(in[0]);
    if (status != 0) {
        close(out[0]);
        if (repeated != NULL) close(in[1]);
        return status;
    }
    feed work = {in[1], repeated, repeated_count, repetitions};
    pthread_t writer;
    int is_writing = repeated != NULL && pthread_create(&writer, NULL, write_all, &work) == 0;
    static char buffer[65536];
    ssize_t count;
    while ((count = read(out[0], buffer, sizeof buffer)) > 0) {
        if (figures->first_byte_seconds == 0) figures->first_byte_seconds = now() - start;
        long peak = peak_kilobytes(child);
        if (peak > figures->peak_kilobytes) figures->peak_kilobytes = peak;
    }
    close(out[0]);
    if (is_writing) pthread_join(writer, NULL);
    struct rusage usage;
    int end = 0;
    if (wait4(child, &end, 0, &usage) != child) return -1;
    figures->seconds = now() - start;
    if (figures->peak_kilobytes == 0) figures->peak_kilobytes = usage.ru_maxrss;
    figures->exit_code = WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
    return 0;
}
