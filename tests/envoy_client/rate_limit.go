// Asks a rate limit service with the client that Envoy's project generates for Go:
//
//	rate_limit PORT TIMES DOMAIN DESCRIPTOR...    DESCRIPTOR is "key=value,key=value"
//
// Writes a line for each call: the code, a code, limit, rate, unit and rest for each descriptor, the names of the fields
// for the client, and the metadata; or the status of gRPC.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	entries "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	service "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

func descriptor(text string) *entries.RateLimitDescriptor {
	out := &entries.RateLimitDescriptor{}
	for _, entry := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(entry, "=")
		out.Entries = append(out.Entries, &entries.RateLimitDescriptor_Entry{Key: key, Value: value})
	}
	return out
}

func main() {
	times, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	request := &service.RateLimitRequest{Domain: os.Args[3]}
	for _, text := range os.Args[4:] {
		request.Descriptors = append(request.Descriptors, descriptor(text))
	}
	channel, err := grpc.Dial("127.0.0.1:"+os.Args[1], grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	client := service.NewRateLimitServiceClient(channel)
	for i := 0; i < times; i++ {
		context, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		answer, err := client.ShouldRateLimit(context, request)
		cancel()
		if err != nil {
			fmt.Println(status.Code(err), status.Convert(err).Message())
			continue
		}
		fmt.Print(answer.OverallCode)
		for _, each := range answer.Statuses {
			limit := each.GetCurrentLimit()
			fmt.Print("; ", each.Code, " ", limit.GetName(), " ", limit.GetRequestsPerUnit(), " ", limit.GetUnit(), " ",
				each.LimitRemaining)
		}
		fmt.Print(";")
		for _, field := range answer.ResponseHeadersToAdd {
			fmt.Print(" ", field.Key)
		}
		fmt.Println(";", answer.DynamicMetadata.AsMap())
	}
}
