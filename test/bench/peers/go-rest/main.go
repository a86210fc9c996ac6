// A straightforward third-party API call in Go: net/http as server and client, with connections that are kept.
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

type forecast struct {
	City string `json:"city"`
	Now  struct {
		Temperature float64 `json:"temperature"`
		Wind        float64 `json:"wind"`
	} `json:"now"`
}

type weather struct {
	City        string  `json:"city"`
	Temperature float64 `json:"temperature"`
	Wind        float64 `json:"wind"`
}

var client = &http.Client{
	Timeout:   30 * time.Second,
	Transport: &http.Transport{MaxIdleConns: 100, MaxIdleConnsPerHost: 100},
}

func main() {
	http.HandleFunc("/weather/", serveWeather)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

func serveWeather(w http.ResponseWriter, r *http.Request) {
	city := strings.TrimPrefix(r.URL.Path, "/weather/")
	response, err := client.Get(os.Getenv("THIRD_PARTY") + "/forecast/" + url.PathEscape(city))
	if err != nil {
		http.Error(w, err.Error(), 502)
		return
	}
	defer response.Body.Close()
	var found forecast
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		http.Error(w, err.Error(), 502)
		return
	}
	text, err := json.Marshal(weather{found.City, found.Now.Temperature, found.Now.Wind})
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.Write(text)
}
