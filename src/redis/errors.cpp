#include "headgate/redis/errors.hpp"

#include <array>
#include <string>

namespace headgate::redis {
namespace {

// Boost gives the base class a non-virtual destructor so that categories can be constants. No code deletes a category
// through it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wnon-virtual-dtor"
class Category final : public boost::system::error_category {  // NOLINT(cppcoreguidelines-virtual-class-destructor)
 public:
  const char* name() const noexcept override { return "headgate.redis"; }
  std::string message(int value) const override {
    switch (static_cast<Errc>(value)) {
      case Errc::unavailable:
        return "Redis is not available";
      case Errc::timed_out:
        return "Redis did not answer in time";
      case Errc::overloaded:
        return "too many calls to Redis are waiting for an answer";
      case Errc::refused_by_server:
        return "Redis refused the call";
      case Errc::bad_reply:
        return "the answer of Redis is not a decision";
      case Errc::stopped:
        return "the limiter was stopped";
    }
    return "unknown error of the Redis limiter";
  }
};
#pragma GCC diagnostic pop

struct Meaning {
  std::string_view word;
  ErrorReply refusal;
};

constexpr std::array kMeanings{
    Meaning{"NOSCRIPT", ErrorReply::no_script},     Meaning{"READONLY", ErrorReply::not_master},
    Meaning{"MASTERDOWN", ErrorReply::not_master},  Meaning{"UNBLOCKED", ErrorReply::not_master},
    Meaning{"NOAUTH", ErrorReply::rejected},        Meaning{"WRONGPASS", ErrorReply::rejected},
    Meaning{"NOPERM", ErrorReply::rejected},        Meaning{"LOADING", ErrorReply::cannot_now},
    Meaning{"BUSY", ErrorReply::cannot_now},        Meaning{"OOM", ErrorReply::cannot_now},
    Meaning{"MISCONF", ErrorReply::cannot_now},     Meaning{"NOREPLICAS", ErrorReply::cannot_now},
    Meaning{"CLUSTERDOWN", ErrorReply::cannot_now}, Meaning{"TRYAGAIN", ErrorReply::cannot_now},
    Meaning{"MOVED", ErrorReply::cannot_now},       Meaning{"ASK", ErrorReply::cannot_now},
};

ErrorReply by_word(std::string_view text) noexcept {
  const std::string_view word = text.substr(0, text.find(' '));
  for (const auto& meaning : kMeanings)
    if (meaning.word == word) return meaning.refusal;
  return ErrorReply::unexpected;
}

constexpr std::string_view kNoEngine = "ERR Could not find scripting engine";
constexpr std::string_view kUnknownCommand = "ERR unknown command ";

}  // namespace

const boost::system::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

error_code make_error_code(Errc code) noexcept { return {static_cast<int>(code), error_category()}; }

std::string_view help_for_scripts(std::string_view error) noexcept {
  if (error.starts_with(kNoEngine))
    return "it cannot run Lua scripts, which headgate needs: install its Lua engine (the package valkey-lua, or the "
           "line "
           "\"loadmodule libvalkeylua.so\" with its path) and start it again";
  const auto name = error.starts_with(kUnknownCommand) ? error.substr(kUnknownCommand.size()) : std::string_view();
  if (name.size() < 5 || name.substr(1, 4) != "EVAL") return {};  // the text begins with a quotation mark
  return "it does not know EVALSHA or EVAL, which headgate needs: remove the lines \"rename-command\" for them, and "
         "start it again, or use a server that runs Lua scripts";
}

ErrorReply classify(std::string_view error) noexcept {
  if (!help_for_scripts(error).empty()) return ErrorReply::rejected;
  const ErrorReply plain = by_word(error);
  if (plain != ErrorReply::unexpected || !error.starts_with("ERR Error running script")) return plain;
  for (auto dash = error.find(" -"); dash != std::string_view::npos; dash = error.find(" -", dash + 2))
    if (const ErrorReply wrapped = by_word(error.substr(dash + 2)); wrapped != ErrorReply::unexpected) return wrapped;
  return plain;
}

}  // namespace headgate::redis
