// SPDX-License-Identifier: Apache-2.0
/// One connection: reads requests, has them answered by a worker, writes the answers. A part of
/// http_server.cpp, which alone includes it.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <type_traits>
#include <utility>  // Boost 1.74 forgets it

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include <apps/server/connection.hpp>
#include <apps/server/routes.hpp>
#include <croco/base/stopped.hpp>

namespace croco::server {

template <typename Stream>
class Session final : public Connection, public std::enable_shared_from_this<Session<Stream>> {
 public:
  Session(Stream stream, Shared& shared)
      : stream_(std::move(stream)), shared_(shared), deadline_(shared.context) {
    shared_.open.insert(this);
    shared_.metrics.change_connections(1);
  }
  ~Session() override {
    shared_.open.erase(this);
    shared_.metrics.change_connections(-1);
  }

  void start() {
    limit(shared_.options.read_time);
    if constexpr (kEncrypted) {
      stream_.async_handshake(Stream::server, [self = this->shared_from_this()](ErrorCode error) {
        if (!error) self->read_head();
      });
    } else {
      read_head();
    }
  }

  void close() override {
    closed_ = true;
    deadline_.cancel();
    stop_.request_stop();
    ErrorCode ignored;
    socket().close(ignored);
  }

  void end_soon() override {
    keep_ = false;
    if (!working_ && !writing_) close();
  }

 private:
  static constexpr bool kEncrypted = !std::is_same_v<Stream, tcp::socket>;
  /// Read ahead while an answer is made, at most.
  static constexpr std::size_t kAhead = 4096;

  tcp::socket& socket() {
    if constexpr (kEncrypted) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  /// Closes the connection unless another limit is set before this one passes.
  void limit(std::chrono::milliseconds time) {
    deadline_.expires_after(time);
    deadline_.async_wait([weak = this->weak_from_this()](ErrorCode error) {
      const auto self = weak.lock();
      if (!error && self && self->deadline_.expiry() <= Clock::now()) self->close();
    });
  }

  void read_head() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(shared_.options.header_bytes));
    parser_->body_limit(shared_.options.body_bytes);
    request_ = {};
    route_ = {};
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = this->shared_from_this()](ErrorCode error, std::size_t) {
                              self->start_time_ = Clock::now();
                              if (error) return self->refuse_unread(error);
                              self->take_head();
                            });
  }

  void take_head() {
    const auto& head = parser_->get();
    const auto field = [&](http::field name) { return std::string(head[name]); };
    request_ = {.method = std::string(head.method_string()),
                .target = std::string(head.target()),
                .accept = field(http::field::accept),
                .content_type = field(http::field::content_type),
                .host = field(http::field::host),
                .origin = field(http::field::origin),
                .authorization = field(http::field::authorization),
                .body = {}};
    keep_ = head.keep_alive() && !shared_.ending;
    if (head.count(http::field::host) > 1)
      return refuse_head(400, "the header Host is there twice");
    if (head.method() == http::verb::unknown) request_.method = "other";
    route_ = shared_.routes.find(request_);
    if (auto refused = shared_.guard.refuse(request_, route_.is_open)) {
      // What was refused may still send a body, which nobody reads.
      keep_ = keep_ && parser_->is_done();
      return answer(std::move(*refused));
    }
    limit(shared_.options.read_time);
    if (head[http::field::expect] == "100-continue") return refuse_head(417, "Expect is not known");
    if (parser_->is_done()) return take_request();
    http::async_read(stream_, buffer_, *parser_,
                     [self = this->shared_from_this()](ErrorCode error, std::size_t) {
                       if (error) return self->refuse_unread(error);
                       self->take_request();
                     });
  }

  void refuse_head(int status, const char* detail) {
    keep_ = false;
    answer(problem(status, "The request cannot be read", detail));
  }

  /// What is no request: answered where the client may still listen.
  void refuse_unread(ErrorCode error) {
    keep_ = false;
    const bool spoken = error.category() == make_error_code(http::error::body_limit).category();
    if (closed_ || !spoken || error == http::error::end_of_stream ||
        error == http::error::partial_message) {
      return close();
    }
    route_.name = "other";
    request_.method = request_.method.empty() ? "other" : request_.method;
    if (error == http::error::body_limit) {
      return answer(
          problem(413, "The request is too large",
                  fmt::format("a body has at most {} bytes", shared_.options.body_bytes)));
    }
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return answer(
          problem(431, "The request is too large",
                  fmt::format("a head has at most {} bytes", shared_.options.header_bytes)));
    }
    answer(problem(400, "The request cannot be read", "it is no request of HTTP/1.1"));
  }

  void take_request() {
    request_.body = std::move(parser_->get().body());
    if (route_.answer) return answer(*route_.answer);
    if (route_.is_instant) return answer(route_.work({}));
    stop_ = std::stop_source();
    working_ = true;
    limit_work();
    // The last reference must not die on a worker: what a connection shares is not for threads.
    const bool taken =
        shared_.queue.add([self = this->shared_from_this(), stop = stop_.get_token()]() mutable {
          Session& session = *self;
          session.work(stop);
          asio::post(session.shared_.context, [kept = std::move(self)] {});
        });
    if (!taken) {
      working_ = false;
      Answer busy = problem(503, "All workers are busy",
                            "the queue of requests is full; ask again in a second");
      busy.headers.emplace_back("Retry-After", "1");
      return answer(std::move(busy));
    }
    watch();
  }

  /// Stops work that takes too long. The worker then says so itself.
  void limit_work() {
    deadline_.expires_after(shared_.options.work_time);
    deadline_.async_wait([weak = this->weak_from_this()](ErrorCode error) {
      const auto self = weak.lock();
      if (!error && self && self->working_) self->stop_.request_stop();
    });
  }

  /// On a worker.
  void work(const std::stop_token& stop) {
    auto self = this->shared_from_this();
    const auto send_answer = [&](Answer made) {
      asio::post(shared_.context,
                 [self, made = std::move(made)]() mutable { self->finish(std::move(made)); });
    };
    try {
      if (stop.stop_requested()) throw Stopped("nobody waits any more");
      if (route_.work) return send_answer(route_.work(stop));
      const auto send = [&](std::string_view event, const std::string& json) {
        std::string text = fmt::format("event: {}\ndata: {}\n\n", event, json);
        asio::post(shared_.context,
                   [self, text = std::move(text)]() mutable { self->push(std::move(text)); });
      };
      route_.stream(send, stop);
      asio::post(shared_.context, [self] { self->end_events({}); });
    } catch (...) {
      Answer failed = answer_of(std::current_exception());
      if (route_.work) return send_answer(std::move(failed));
      asio::post(shared_.context,
                 [self, failed = std::move(failed)]() mutable { self->end_events(failed); });
    }
  }

  void finish(Answer made) {
    working_ = false;
    if (closed_) return note_closed();
    answer(std::move(made));
  }

  /// Reads ahead while somebody works: what a client says next is kept, that it went away counts.
  void watch() {
    if (watching_ || closed_ || buffer_.size() >= kAhead) return;
    watching_ = true;
    stream_.async_read_some(buffer_.prepare(kAhead - buffer_.size()),
                            [self = this->shared_from_this()](ErrorCode error, std::size_t bytes) {
                              self->watching_ = false;
                              if (error) return self->lost();
                              self->buffer_.commit(bytes);
                              if (self->working_) return self->watch();
                              if (self->waiting_) self->next();
                            });
  }

  void lost() {
    if (working_ && !closed_) shared_.metrics.add_cancelled();
    close();
  }

  void answer(Answer made) {
    working_ = false;
    writing_ = true;
    limit(shared_.options.write_time);
    add_safety(made);
    auto response = std::make_shared<http::response<http::string_body>>();
    set_head(*response, made);
    response->body() = std::move(made.body);
    response->prepare_payload();
    const std::size_t bytes = response->body().size();
    http::async_write(
        stream_, *response,
        [self = this->shared_from_this(), response, bytes](ErrorCode error, std::size_t) {
          self->note(static_cast<int>(response->result_int()), bytes,
                     error ? "closed" : "answered");
          self->writing_ = false;
          if (error || !self->keep_) return self->leave();
          self->next();
        });
  }

  template <typename Message>
  void set_head(Message& message, const Answer& made) {
    message.version(11);
    message.result(static_cast<unsigned>(made.status));
    message.set(http::field::content_type, made.type);
    for (const auto& [name, value] : made.headers) message.set(name, value);
    message.keep_alive(keep_);
  }

  void push(std::string text) {
    if (closed_) return;
    events_.push_back(std::move(text));
    write_events();
  }

  void end_events(const std::optional<Answer>& failed) {
    if (failed && !streaming_ && events_.empty()) return finish(*failed);
    if (failed && !closed_) {
      events_.push_back(fmt::format("event: error\ndata: {}\n\n", failed->body));
    }
    working_ = false;
    events_ended_ = true;
    if (closed_) return note_closed();
    limit(shared_.options.write_time);
    write_events();
  }

  void write_events() {
    if (writing_ || closed_) return;
    if (!streaming_) return begin_events();
    if (events_.empty() && !events_ended_) return;
    std::string out;
    for (const std::string& text : events_) {
      out += fmt::format("{:x}\r\n{}\r\n", text.size(), text);
      event_bytes_ += text.size();
    }
    events_.clear();
    const bool last = events_ended_;
    if (last) out += "0\r\n\r\n";
    write(std::move(out), [last](Session& self) {
      if (!last) return self.write_events();
      self.streaming_ = false;
      self.note(200, self.event_bytes_, "answered");
      if (!self.keep_) return self.leave();
      self.next();
    });
  }

  void begin_events() {
    streaming_ = true;
    event_bytes_ = 0;
    Answer made{.type = "text/event-stream"};
    add_safety(made);
    http::response<http::empty_body> head;
    set_head(head, made);
    head.chunked(true);
    std::string text = "HTTP/1.1 200 OK\r\n";
    for (const auto& one : head.base()) {
      text += fmt::format("{}: {}\r\n", std::string(one.name_string()), std::string(one.value()));
    }
    write(text + "\r\n", [](Session& self) { self.write_events(); });
  }

  template <typename Then>
  void write(std::string text, Then then) {
    writing_ = true;
    auto kept = std::make_shared<const std::string>(std::move(text));
    asio::async_write(stream_, asio::buffer(*kept),
                      [self = this->shared_from_this(), kept, then](ErrorCode error, std::size_t) {
                        self->writing_ = false;
                        if (error) return self->lost();
                        then(*self);
                      });
  }

  void next() {
    waiting_ = false;
    events_ended_ = false;
    limit(shared_.options.idle_time);
    if (closed_ || !keep_ || shared_.ending) return leave();
    if (watching_) {  // the read that goes on brings the next request
      waiting_ = true;
      return;
    }
    read_head();
  }

  /// Lets the client read to the end before the connection is gone.
  void leave() {
    if (closed_) return;
    limit(std::chrono::milliseconds(500));
    ErrorCode ignored;
    socket().shutdown(tcp::socket::shutdown_send, ignored);
    if (watching_) return;
    discard();
  }
  void discard() {
    socket().async_read_some(asio::buffer(scratch_),
                             [self = this->shared_from_this()](ErrorCode error, std::size_t) {
                               if (error || self->closed_) return self->close();
                               self->discard();
                             });
  }

  void note(int status, std::size_t bytes, const char* end) {
    const double seconds = std::chrono::duration<double>(Clock::now() - start_time_).count();
    shared_.metrics.add(route_.name, status, seconds);
    if (!shared_.log) return;
    shared_.log(access_line({route_.name, request_.method, status, bytes, seconds * 1000, end}));
  }
  void note_closed() { note(499, 0, "closed"); }

  Stream stream_;
  Shared& shared_;
  asio::steady_timer deadline_;
  flat_buffer buffer_;
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  Route route_;
  std::stop_source stop_;
  Clock::time_point start_time_;
  std::deque<std::string> events_;
  std::size_t event_bytes_ = 0;
  std::array<char, 1024> scratch_{};
  bool keep_ = false;
  bool closed_ = false;
  bool working_ = false;
  bool writing_ = false;
  bool watching_ = false;
  bool waiting_ = false;
  bool streaming_ = false;
  bool events_ended_ = false;
};

}  // namespace croco::server
