// Reads documents with encoding/json; input and output are as in read.js. The third argument says how: "struct" matches
// names of members without their case, "map" does not, and "decoder" ignores what follows the document.
package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
)

type document struct {
	Model any `json:"model"`
	Usage struct {
		Total any `json:"total"`
	} `json:"usage"`
	List []any `json:"list"`
}

func said(value any) string {
	switch value := value.(type) {
	case nil:
		return "nothing"
	case bool:
		return fmt.Sprint(value)
	case float64:
		return fmt.Sprintf("number %d", int64(math.Ceil(math.Min(math.Max(value, -1e15), 1e15))))
	case string:
		return "text " + hex.EncodeToString([]byte(value))
	}
	return "structure"
}

func inMap(value any) []any {
	members, _ := value.(map[string]any)
	usage, _ := members["usage"].(map[string]any)
	out := []any{members["model"], usage["total"], nil}
	switch list := members["list"].(type) {
	case []any:
		if len(list) > 1 {
			out[2] = list[1]
		}
	case map[string]any:
		out[2] = list["1"]
	}
	return out
}

func read(text []byte, how string) ([]any, error) {
	if how != "struct" {
		var value any
		if how == "map" {
			err := json.Unmarshal(text, &value)
			return inMap(value), err
		}
		err := json.NewDecoder(bytes.NewReader(text)).Decode(&value)
		return inMap(value), err
	}
	var value document
	if err := json.Unmarshal(text, &value); err != nil {
		return nil, err
	}
	out := []any{value.Model, value.Usage.Total, nil}
	if len(value.List) > 1 {
		out[2] = value.List[1]
	}
	return out, nil
}

func main() {
	in, _ := os.Open(os.Args[1])
	file, _ := os.Create(os.Args[2])
	out := bufio.NewWriter(file)
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		text, _ := hex.DecodeString(lines.Text())
		values, err := read(text, os.Args[3])
		for i := 0; i < 3; i++ {
			if err != nil {
				fmt.Fprintln(out, "refused")
			} else {
				fmt.Fprintln(out, said(values[i]))
			}
		}
	}
	out.Flush()
}
