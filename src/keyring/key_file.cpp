#include "key_file.hpp"

#include "headgate/observe/event.hpp"

namespace headgate::keyring {

using TakeResult = Result<std::uint64_t, std::string>;

TakeResult KeyFile::take(const Result<std::string, std::string>& text) {
  auto taken = text.has_error() ? TakeResult(boost::system::in_place_error, text.error()) : take_(*text);
  if (taken.has_value()) {
    status_.succeeded(*taken, headgate::now());
    return taken;
  }
  std::string why = text.has_error() ? text.error() : file_.path() + taken.error();
  status_.failed(why);
  return TakeResult(boost::system::in_place_error, std::move(why));
}

Result<void, std::string> KeyFile::read() {
  if (const auto text = file_.look()) {
    const auto taken = take(*text);
    if (taken.has_error()) return Result<void, std::string>(boost::system::in_place_error, taken.error());
  }
  return {};
}

bool KeyFile::look() {
  const auto text = file_.look();
  if (!text) return false;
  const auto taken = take(*text);
  if (taken.has_error())
    observe::event(observe::LogLevel::error, words_.refused, words_.stay,
                   {{"source", file_.path()}, {"reason", taken.error()}});
  else
    observe::event(observe::LogLevel::info, words_.read, {}, {{"source", file_.path()}, {"in_force", *taken}});
  return taken.has_value();
}

}  // namespace headgate::keyring
