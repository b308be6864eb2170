// Renders a chart as Helm does, as far as charts here go: templates of a directory with sprig's functions, include, tpl, required, toYaml
// and fromYaml, and values merged from files. Helm itself is no package of Debian.
//
//	render CHART RELEASE NAMESPACE VALUES.yaml...
//
// prints a JSON object: "values" as they were merged, and by the name of each template what it is.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Through JSON, so that every number is a float64, as it is for Helm.
func readYaml(text []byte) (map[string]interface{}, error) {
	var any map[string]interface{}
	if err := yaml.Unmarshal(text, &any); err != nil {
		return nil, err
	}
	plain, err := json.Marshal(any)
	if err != nil {
		return nil, err
	}
	out := map[string]interface{}{}
	return out, json.Unmarshal(plain, &out)
}

// Objects are joined; whatever else is there is replaced, and null takes it away.
func merged(into, from map[string]interface{}) map[string]interface{} {
	for key, value := range from {
		within, isObject := value.(map[string]interface{})
		before, wasObject := into[key].(map[string]interface{})
		switch {
		case value == nil:
			delete(into, key)
		case isObject && wasObject:
			into[key] = merged(before, within)
		default:
			into[key] = value
		}
	}
	return into
}

func toYaml(value interface{}) (string, error) {
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	return strings.TrimSuffix(out.String(), "\n"), nil
}

func main() {
	chart, release, namespace := os.Args[1], os.Args[2], os.Args[3]
	read := func(path string) map[string]interface{} {
		text, err := os.ReadFile(path)
		must(err)
		out, err := readYaml(text)
		must(err)
		return out
	}
	values := read(filepath.Join(chart, "values.yaml"))
	for _, path := range os.Args[4:] {
		values = merged(values, read(path))
	}
	about := map[string]interface{}{}
	for key, value := range read(filepath.Join(chart, "Chart.yaml")) {
		about[strings.ToUpper(key[:1])+key[1:]] = value
	}
	data := map[string]interface{}{
		"Values":  values,
		"Chart":   about,
		"Release": map[string]interface{}{"Name": release, "Namespace": namespace, "Service": "Helm", "IsInstall": true, "IsUpgrade": false},
	}

	all := template.New("chart").Option("missingkey=zero")
	all.Funcs(sprig.TxtFuncMap())
	all.Funcs(template.FuncMap{
		"toYaml":   toYaml,
		"fromYaml": func(text string) (map[string]interface{}, error) { return readYaml([]byte(text)) },
		"required": func(message string, value interface{}) (interface{}, error) {
			if value == nil || value == "" {
				return nil, errors.New(message)
			}
			return value, nil
		},
		"include": func(name string, with interface{}) (string, error) {
			var out strings.Builder
			err := all.ExecuteTemplate(&out, name, with)
			return out.String(), err
		},
		"tpl": func(text string, with interface{}) (string, error) {
			one, err := template.Must(all.Clone()).New("tpl").Parse(text)
			if err != nil {
				return "", err
			}
			var out strings.Builder
			err = one.Execute(&out, with)
			return out.String(), err
		},
	})
	paths, err := filepath.Glob(filepath.Join(chart, "templates", "*"))
	must(err)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		must(err)
		_, err = all.New(filepath.Base(path)).Parse(string(text))
		must(err)
	}
	out := map[string]interface{}{"values": values}
	for _, path := range paths {
		name := filepath.Base(path)
		if strings.HasPrefix(name, "_") {
			continue
		}
		var text strings.Builder
		must(all.ExecuteTemplate(&text, name, data))
		out[name] = text.String()
	}
	must(json.NewEncoder(os.Stdout).Encode(out))
}
