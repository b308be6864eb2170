#include "headgate/redis/reply.hpp"

#include <hiredis/hiredis.h>

#include <vector>

namespace headgate::redis {
namespace {

constexpr std::size_t kMaxText = 512;

/// The object that the hiredis callbacks fill. It holds one reply at a time, and reuses its memory.
struct Sink {
  Reply::Kind kind = Reply::Kind::nil;
  std::string text;
  std::int64_t integer = 0;
  std::vector<std::int64_t> integers;
  std::size_t count = 0;
  bool has_text = false;
  bool all_integers = false;

  ReplyReader::Keep keep = ReplyReader::Keep::decisions;
  std::vector<Reply::Element> elements;

  bool keeps_all() const { return keep == ReplyReader::Keep::everything; }
  std::size_t most() const { return keeps_all() ? ReplyReader::kMaxElementsKept : ReplyReader::kMaxElements; }
  std::size_t most_bytes() const { return keeps_all() ? ReplyReader::kMaxBytesKept : ReplyReader::kMaxBytes; }
  void note(Reply::Kind what, std::int64_t value = 0, std::string_view words = {}) {
    if (keeps_all()) elements.push_back({what, value, std::string(words)});
  }
};

/// Returns the object for an element, which hiredis expects; it is the same sink for all elements. Null, for too many
/// elements, ends the parsing.
Sink* element(const redisReadTask* task) {
  auto* sink = static_cast<Sink*>(task->privdata);
  if (task->parent != nullptr) return ++sink->count > sink->most() ? nullptr : sink;
  sink->text.clear();
  sink->integers.clear();
  sink->elements.clear();
  sink->integer = 0;
  sink->count = 0;
  sink->has_text = sink->all_integers = false;
  return sink;
}

void* create_string(const redisReadTask* task, char* text, std::size_t length) {
  Sink* sink = element(task);
  if (sink == nullptr) return nullptr;
  sink->all_integers = false;
  const auto kind = task->type == REDIS_REPLY_STATUS  ? Reply::Kind::status
                    : task->type == REDIS_REPLY_ERROR ? Reply::Kind::error
                                                      : Reply::Kind::text;
  if (task->parent == nullptr) sink->kind = kind;
  sink->note(kind, 0, {text, length});
  if (!sink->has_text) {
    sink->text.assign(text, length < kMaxText ? length : kMaxText);
    sink->has_text = true;
  }
  return sink;
}

/// Returns whether arrays are nested too deeply. hiredis 0.14 stops at 7 nested arrays, later versions at 1024, but no
/// reply that this module expects is nested so deeply.
bool too_deep(const redisReadTask* task) {
  int depth = 0;
  while ((task = task->parent) != nullptr) ++depth;
  return depth > 6;
}

/// The count is an int in hiredis 0.14 and a size_t since 1.0.
template <class Count>
void* create_array(const redisReadTask* task, Count count) {
  if (static_cast<std::size_t>(count) > static_cast<Sink*>(task->privdata)->most() || too_deep(task)) return nullptr;
  Sink* sink = element(task);
  if (sink == nullptr) return nullptr;
  const auto kind = task->type == REDIS_REPLY_ARRAY ? Reply::Kind::array : Reply::Kind::other;
  if (task->parent == nullptr) sink->kind = kind;
  sink->note(kind, static_cast<std::int64_t>(count));
  sink->all_integers = task->parent == nullptr;
  return sink;
}

void* create_integer(const redisReadTask* task, long long value) {
  Sink* sink = element(task);
  if (sink == nullptr) return nullptr;
  if (task->parent == nullptr) {
    sink->kind = Reply::Kind::integer;
    sink->integer = value;
  } else {
    sink->integers.push_back(value);
  }
  sink->note(Reply::Kind::integer, value);
  return sink;
}

void* create_nil(const redisReadTask* task) {
  Sink* sink = element(task);
  if (sink == nullptr) return nullptr;
  sink->all_integers = false;
  if (task->parent == nullptr) sink->kind = Reply::Kind::nil;
  sink->note(Reply::Kind::nil);
  return sink;
}

#if HIREDIS_MAJOR >= 1
// Creates values of RESP3 types, which the gateway never requests. A reply with such a value is not a valid decision.
void* create_other(const redisReadTask* task) {
  Sink* sink = element(task);
  if (sink == nullptr) return nullptr;
  sink->all_integers = false;
  if (task->parent == nullptr) sink->kind = Reply::Kind::other;
  sink->note(Reply::Kind::other);
  return sink;
}
void* create_double(const redisReadTask* task, double, char*, std::size_t) { return create_other(task); }
void* create_bool(const redisReadTask* task, int) { return create_other(task); }
#endif

redisReplyObjectFunctions* functions() {
  static redisReplyObjectFunctions all = [] {
    redisReplyObjectFunctions made{};
    made.createString = create_string;
    made.createArray = create_array;
    made.createInteger = create_integer;
    made.createNil = create_nil;
#if HIREDIS_MAJOR >= 1
    made.createDouble = create_double;
    made.createBool = create_bool;
#endif
    made.freeObject = [](void*) {};
    return made;
  }();
  return &all;
}

}  // namespace

struct ReplyReader::Parts {
  struct Free {
    void operator()(redisReader* reader) const noexcept { redisReaderFree(reader); }
  };
  Sink sink;
  std::unique_ptr<redisReader, Free> reader;
};

ReplyReader::ReplyReader(Keep keep) : parts_(std::make_unique<Parts>()) {
  parts_->sink.keep = keep;
  reset();
}
ReplyReader::~ReplyReader() = default;

void ReplyReader::reset() {
  parts_->reader.reset(redisReaderCreateWithFunctions(functions()));
  if (parts_->reader) parts_->reader->privdata = &parts_->sink;
  error_.clear();
}

void ReplyReader::feed(std::string_view bytes) {
  if (parts_->reader)
    redisReaderFeed(parts_->reader.get(), bytes.data(), bytes.size());  // the reader remembers a failure itself
}

ReplyReader::Next ReplyReader::next(Reply& reply) {
  redisReader* reader = parts_->reader.get();
  void* made = nullptr;
  if (reader == nullptr || redisReaderGetReply(reader, &made) != REDIS_OK) {
    const bool too_big = reader == nullptr || reader->err == REDIS_ERR_OOM;
    error_ = too_big ? "the reply is too large" : reader->errstr;
    return Next::broken;
  }
  if (made == nullptr) {
    if (reader->len - reader->pos <= parts_->sink.most_bytes()) return Next::more;
    error_ = "the reply is too long";
    return Next::broken;
  }
  const Sink& sink = parts_->sink;
  reply =
      Reply{.kind = sink.kind,
            .text = sink.text,
            .integer = sink.integer,
            .integers = sink.integers,
            .all_integers = sink.kind == Reply::Kind::array && sink.all_integers && sink.count == sink.integers.size(),
            .elements = sink.elements};
  return Next::reply;
}

}  // namespace headgate::redis
