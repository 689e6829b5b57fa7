// The exact, unique match as a strategy for editgauge: one JSON object a line each way (docs/protocol.md).
//
//	go build edit.go && editgauge run house -s 'cmd:mine=./edit'
package main

import (
	"encoding/json"
	"io"
	"log"
	"os"
	"strings"
)

type file struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

type request struct {
	ID     string `json:"id"`
	Before []file `json:"before"`
	Edits  []struct {
		OldString  string `json:"old_string"`
		NewString  string `json:"new_string"`
		ReplaceAll bool   `json:"replace_all"`
	} `json:"edits"`
}

type answer struct {
	ID     string `json:"id"`
	Status string `json:"status"`
	After  []file `json:"after,omitempty"`
	Reason string `json:"reason,omitempty"`
}

func answerTo(asked request) answer {
	rejected := func(reason string) answer { return answer{ID: asked.ID, Status: "rejected", Reason: reason} }
	content := asked.Before[0].Content
	for _, edit := range asked.Edits {
		if edit.OldString == edit.NewString {
			return rejected("identical")
		}
		if edit.OldString == "" {
			return rejected("empty")
		}
		at := strings.Index(content, edit.OldString)
		switch {
		case at < 0:
			return rejected("no_match")
		case edit.ReplaceAll:
			content = strings.ReplaceAll(content, edit.OldString, edit.NewString)
		case strings.LastIndex(content, edit.OldString) != at:
			return rejected("ambiguous")
		default:
			content = content[:at] + edit.NewString + content[at+len(edit.OldString):]
		}
	}
	return answer{ID: asked.ID, Status: "applied", After: []file{{asked.Before[0].Path, content}}}
}

func main() {
	requests, answers := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var asked request
		if err := requests.Decode(&asked); err == io.EOF {
			return
		} else if err != nil {
			log.Fatal(err)
		}
		if err := answers.Encode(answerTo(asked)); err != nil {
			log.Fatal(err)
		}
	}
}
