package main

/*
#cgo pkg-config: receiptverify sqlite3
#include <receiptverify.h>
#include <sqlite3.h>
#include <stdlib.h>

static int verify(
    const receiptverify_verifier *verifier, const void *body, size_t length, receiptverify_text *result, char *message)
{
    return receiptverify_verify(
        verifier, body, length, "notification", 12, receiptverify_collect, result, message,
        RECEIPTVERIFY_MESSAGE_SIZE);
}

static int record(
    const char *path, const void *body, int body_length, const void *result, int result_length, int milliseconds)
{
    sqlite3 *database = NULL;
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READWRITE, NULL);
    if (code == SQLITE_OK) code = sqlite3_busy_timeout(database, milliseconds);
    if (code == SQLITE_OK)
        code = sqlite3_prepare_v2(database, "INSERT INTO delivery VALUES (?, ?)", -1, &statement, NULL);
    if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 1, body, body_length, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_bind_text(statement, 2, result, result_length, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    sqlite3_finalize(statement);
    sqlite3_close(database);
    return code;
}
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
	"unsafe"
)

// Verifier is a verifier of libreceiptverify, which all goroutines can share.
type Verifier struct{ handle *C.receiptverify_verifier }

// NewVerifier returns a verifier by a policy file; the files that it names are relative to its folder.
func NewVerifier(path string) (*Verifier, error) {
	policy, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(path)
	verifier, message := new(Verifier), make([]C.char, C.RECEIPTVERIFY_MESSAGE_SIZE)
	if C.receiptverify_create(
		bytes(policy), C.size_t(len(policy)), bytes([]byte(folder)), C.size_t(len(folder)), &verifier.handle,
		&message[0], C.RECEIPTVERIFY_MESSAGE_SIZE) != C.RECEIPTVERIFY_OK {
		return nil, errors.New(C.GoString(&message[0]))
	}
	return verifier, nil
}

// Verify returns the result for a notification as JSON; it is accepted only if the member "verdict" is "verified".
func (verifier *Verifier) Verify(body []byte) ([]byte, error) {
	var text C.receiptverify_text
	defer C.receiptverify_collect(unsafe.Pointer(&text), nil, 0)
	message := make([]C.char, C.RECEIPTVERIFY_MESSAGE_SIZE)
	if C.verify(verifier.handle, bytes(body), C.size_t(len(body)), &text, &message[0]) != C.RECEIPTVERIFY_OK {
		return nil, errors.New(C.GoString(&message[0]))
	}
	return C.GoBytes(unsafe.Pointer(text.bytes), C.int(text.length)), nil
}

func record(path string, body, result []byte, deadline time.Duration) error {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	code := C.record(
		name, bytes(body), C.int(len(body)), bytes(result), C.int(len(result)), C.int(deadline.Milliseconds()))
	if code != C.SQLITE_DONE {
		return fmt.Errorf("the notification was not recorded: %s", C.GoString(C.sqlite3_errstr(code)))
	}
	return nil
}

func bytes(slice []byte) unsafe.Pointer {
	if len(slice) == 0 {
		return nil
	}
	return unsafe.Pointer(&slice[0])
}
