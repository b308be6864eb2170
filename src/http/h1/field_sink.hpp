#pragma once
// Beast's parser with our own sink: a head becomes views into the buffer it was read from.

#include "headgate/http/h1/parse.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>

#include <limits>

namespace headgate::http::h1 {

/// Beast's views are of its own string_view in older versions; ours point at the same bytes.
template <class View>
std::string_view view(const View& text) noexcept {
  return {text.data(), text.size()};
}

/// Shared by both directions: collects field lines, counts them, and takes no body.
template <bool isRequest>
class FieldSink : public boost::beast::http::basic_parser<isRequest> {
 public:
  FieldSink(Fields& fields, std::size_t most) : fields_(fields), most_(most) {
    fields_.clear();
    this->header_limit(std::numeric_limits<std::uint32_t>::max());  // the buffer is the bound
    this->body_limit(boost::none);
    this->skip(true);  // framing is ours: Beast must not look past the head
  }

  bool too_many() const noexcept { return too_many_; }

 protected:
  using string_view = boost::beast::string_view;

  void on_field_impl(Known id, string_view name, string_view value, boost::beast::error_code& ec) override {
    if (fields_.size() == most_) {
      too_many_ = true;
      ec = boost::beast::http::error::header_limit;
      return;
    }
    fields_.push_back({id, view(name), view(value)});
  }
  void on_header_impl(boost::beast::error_code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, boost::beast::error_code&) override {}
  std::size_t on_body_impl(string_view body, boost::beast::error_code&) override { return body.size(); }
  void on_chunk_header_impl(std::uint64_t, string_view, boost::beast::error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view body, boost::beast::error_code&) override {
    return body.size();
  }
  void on_finish_impl(boost::beast::error_code&) override {}

 private:
  Fields& fields_;
  std::size_t most_;
  bool too_many_ = false;
};

}  // namespace headgate::http::h1
