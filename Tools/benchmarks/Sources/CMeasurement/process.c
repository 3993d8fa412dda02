#define _GNU_SOURCE
#include <errno.h>
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
    const process_streams *streams;
} feed;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec / 1e6; }

/// Returns the peak resident memory of a running process, 0 if the system does not report it. `wait4` is of no use: on
/// Linux its figure includes the parent's memory, which the child shares until it executes the program, and this parent
/// holds all receipts.
static long peak_kilobytes(pid_t process) {
    char path[64], line[256];
    long peak = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        if (sscanf(line, "VmHWM: %ld", &peak) == 1) break;
    }
    if (file != NULL) fclose(file);
    return peak;
}

static void *write_all(void *argument) {
    const feed *work = argument;
    const process_streams *streams = work->streams;
    for (size_t i = 0; i < streams->repetitions; i++) {
        for (size_t offset = 0; offset < streams->repeated_count;) {
            ssize_t written = write(work->descriptor, streams->repeated + offset, streams->repeated_count - offset);
            if (written < 0 && errno == EINTR) continue;
            if (written <= 0) goto end;
            offset += (size_t)written;
        }
    }
end:
    close(work->descriptor);
    return NULL;
}

static void read_all(int descriptor, pid_t child, double start, process_figures *figures) {
    static char buffer[65536];
    ssize_t count;
    while ((count = read(descriptor, buffer, sizeof buffer)) > 0 || (count < 0 && errno == EINTR)) {
        if (count < 0) continue;
        if (figures->first_byte_seconds == 0) figures->first_byte_seconds = now() - start;
        for (ssize_t i = 0; i < count; i++) figures->line_count += buffer[i] == '\n';
        long peak = peak_kilobytes(child);
        if (peak > figures->peak_kilobytes) figures->peak_kilobytes = peak;
    }
}

static int spawn(const char *const arguments[], int input, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    int status = posix_spawn_file_actions_init(&actions);
    if (status != 0) return status;
    status = posix_spawn_file_actions_adddup2(&actions, input, 0);
    if (status == 0) status = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (status == 0) status = posix_spawnp(child, arguments[0], &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

static void close_if_open(int descriptor) {
    if (descriptor >= 0) close(descriptor);
}

int measure_process(const char *const arguments[], const process_streams *streams, process_figures *figures) {
    memset(figures, 0, sizeof *figures);
    // A process that exits before it has read its input must not end this one; its exit code shows the failure.
    signal(SIGPIPE, SIG_IGN);
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    int is_fed = streams->repeated != NULL, is_read = streams->output < 0;
    int status = (is_fed && pipe2(in, O_CLOEXEC) != 0) || (is_read && pipe2(out, O_CLOEXEC) != 0) ? errno : 0;
    pid_t child = 0;
    double start = now();
    if (status == 0) {
        status = spawn(arguments, is_fed ? in[0] : streams->input, is_read ? out[1] : streams->output, &child);
    }
    close_if_open(in[0]);
    close_if_open(out[1]);
    if (status != 0) {
        close_if_open(in[1]);
        close_if_open(out[0]);
        return status;
    }
    feed work = {in[1], streams};
    pthread_t writer;
    int is_writing = is_fed && pthread_create(&writer, NULL, write_all, &work) == 0;
    if (!is_writing) close_if_open(in[1]);
    if (is_read) read_all(out[0], child, start, figures);
    close_if_open(out[0]);
    struct rusage usage;
    int end = 0;
    pid_t ended;
    while ((ended = wait4(child, &end, 0, &usage)) < 0 && errno == EINTR) {}
    figures->seconds = now() - start;
    if (is_writing) pthread_join(writer, NULL);
    if (ended != child) return errno;
    figures->processor_seconds = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    figures->exit_code = WIFEXITED(end) ? WEXITSTATUS(end) : 128 + WTERMSIG(end);
    return is_fed && !is_writing ? EAGAIN : 0;
}
