#pragma once
// The client of an exchange as the path sees it: records the reply.

#include "unit/gateway/path/script.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>

namespace headgate::gateway::test {

/// Records the answer.
class Client final : public http::ReplyWriter {
 public:
  explicit Client(Trace& trace) : trace_(trace) {}

  unsigned status = 0;
  std::map<std::string, std::string> fields;
  std::multiset<std::string> names;  ///< of all fields, in lower case
  std::string body;
  std::vector<unsigned> interims;
  bool ended = false;  ///< whether the answer is complete
  bool tunnelled = false;
  std::function<void(Duration idle)> when_tunnelled;
  std::optional<std::size_t> takes;  ///< how many writes succeed before the connection breaks
  error_code broken = error::broken_pipe;

  void forget() {
    status = 0;
    fields.clear();
    names.clear();
    body.clear();
    interims.clear();
    ended = tunnelled = started_ = false;
  }

  Task<Result<void>> interim(const http::ReplyStart& start) override {
    interims.push_back(start.status);
    co_return take();
  }
  Task<Result<void>> send(const http::ReplyStart& start, std::string_view first, http::EndStream last) override {
    started_ = true;
    trace_.note("answer", std::to_string(start.status));
    status = start.status;
    for (const auto& field : *start.fields) {
      fields[std::string(field.name)] = field.value;
      names.insert(lower(field.name));
    }
    body = first;
    ended = last == http::EndStream::yes;
    co_return take();
  }
  Task<Result<void>> write(std::string_view bytes, http::EndStream last) override {
    trace_.note("answer-body");
    body += bytes;
    ended = last == http::EndStream::yes;
    co_return take();
  }
  Task<Result<void>> finish(const http::Fields&) override {
    ended = true;
    co_return take();
  }
  void tunnel(Duration idle) override {
    tunnelled = true;
    when_tunnelled(idle);
  }
  bool started() const noexcept override { return started_; }
  std::uint64_t bytes_sent() const noexcept override { return body.size(); }

 private:
  Result<void> take() {
    if (takes && (*takes)-- == 0) return broken;
    return {};
  }

  Trace& trace_;
  bool started_ = false;
};

}  // namespace headgate::gateway::test
