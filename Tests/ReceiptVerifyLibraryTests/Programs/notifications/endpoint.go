// Receives App Store Server Notifications: verifies each, records it, then answers.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"time"
)

const limit = 1 << 20

var slots = make(chan struct{}, 8)

// receive returns the HTTP status for a body: 200 only after the database has the notification.
func receive(verifier *Verifier, database string, body []byte, deadline time.Duration) int {
	result, err := verifier.Verify(body)
	var members struct {
		Verdict, Code, Message string
		Retryable              bool
	}
	if err == nil {
		err = json.Unmarshal(result, &members)
	}
	if err == nil && members.Verdict != "verified" {
		log.Print(members.Code, ": ", members.Message)
		if !members.Retryable {
			return 400
		}
		return 503
	}
	if err == nil {
		err = record(database, body, result, deadline)
	}
	if err != nil { // the store has to send it again
		log.Print(err)
		return 503
	}
	return 200
}

func main() {
	verifier, err := NewVerifier(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	seconds, _ := strconv.ParseFloat(os.Args[4], 64)
	deadline := time.Duration(seconds * float64(time.Second))
	handler := func(response http.ResponseWriter, request *http.Request) {
		if request.Method != "POST" {
			response.WriteHeader(405)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, limit))
		if err != nil {
			response.WriteHeader(413)
			return
		}
		late, status := time.After(deadline), make(chan int, 1)
		select {
		case slots <- struct{}{}:
			go func() {
				status <- receive(verifier, os.Args[2], body, deadline)
				<-slots
			}()
		case <-late:
			status <- 503
		}
		select {
		case code := <-status:
			response.WriteHeader(code)
		case <-late:
			response.WriteHeader(503)
		}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Args[3])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	server := http.Server{Handler: http.HandlerFunc(handler), ReadTimeout: deadline}
	log.Fatal(server.Serve(listener))
}
