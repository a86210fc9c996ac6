// A straightforward server in Go: net/http, encoding/json, and database/sql with go-sql-driver, whose statements are prepared once.
package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

type comment struct {
	ID   int32  `json:"id"`
	Body string `json:"body"`
}

type news struct {
	ID       int32     `json:"id"`
	Title    string    `json:"title"`
	Body     string    `json:"body"`
	Created  string    `json:"created"`
	Comments []comment `json:"comments"`
}

type failure struct {
	Message string `json:"message"`
}

var newsByID, commentsOfNews *sql.Stmt

func main() {
	config := mysql.NewConfig()
	config.User, config.Passwd = os.Getenv("MYSQL_USER"), os.Getenv("MYSQL_PASSWORD")
	config.Net, config.Addr = "tcp", os.Getenv("MYSQL_HOST")+":"+os.Getenv("MYSQL_PORT")
	config.DBName = os.Getenv("MYSQL_DATABASE")
	config.ParseTime = true
	config.Params = map[string]string{"time_zone": "'+00:00'"}
	pool, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		log.Fatal(err)
	}
	pool.SetMaxOpenConns(10)
	pool.SetMaxIdleConns(10)
	newsByID = prepare(pool, "SELECT id, title, body, created FROM news WHERE id = ?")
	commentsOfNews = prepare(pool, "SELECT id, body FROM comment WHERE news_id = ?")
	http.HandleFunc("/news/", serveNews)
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, nil))
}

func prepare(pool *sql.DB, text string) *sql.Stmt {
	statement, err := pool.Prepare(text)
	if err != nil {
		log.Fatal(err)
	}
	return statement
}

func serveNews(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/news/"))
	if err != nil {
		send(w, 400, failure{"The id is not a number"})
		return
	}
	var created time.Time
	n := news{Comments: []comment{}}
	err = newsByID.QueryRowContext(r.Context(), id).Scan(&n.ID, &n.Title, &n.Body, &created)
	if errors.Is(err, sql.ErrNoRows) {
		send(w, 404, failure{"No such news"})
		return
	}
	if err != nil {
		send(w, 500, failure{err.Error()})
		return
	}
	n.Created = created.UTC().Format("2006-01-02T15:04:05.000Z")
	rows, err := commentsOfNews.QueryContext(r.Context(), n.ID)
	if err != nil {
		send(w, 500, failure{err.Error()})
		return
	}
	defer rows.Close()
	for rows.Next() {
		var c comment
		if err := rows.Scan(&c.ID, &c.Body); err != nil {
			send(w, 500, failure{err.Error()})
			return
		}
		n.Comments = append(n.Comments, c)
	}
	if err := rows.Err(); err != nil {
		send(w, 500, failure{err.Error()})
		return
	}
	send(w, 200, n)
}

func send(w http.ResponseWriter, status int, value interface{}) {
	text, err := json.Marshal(value)
	if err != nil {
		status, text = 500, []byte(`{"message":"The response is not JSON"}`)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text)
}
