#include "blackbox/harness/imported.hpp"

#include <gtest/gtest.h>

#include <filesystem>

namespace headgate::test {

std::string put_in_place(std::string text, const std::string& what, const std::string& by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

Json imported_config(const std::string& text, const std::string& name) {
  const TemporaryFile file(text, name);
  const auto ran = run_headgate({"import", file.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  auto config = Json::parse(ran.out, nullptr, true, true);
  config["listen"] = "127.0.0.1:0";
  config["admin"] = "off";
  config["workers"] = 1;
  return config;
}

NginxOriginal::NginxOriginal(const std::string& http)
    : text_(
          "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {}\nhttp {\naccess_log off;\n"
          "client_body_temp_path body;\nproxy_temp_path proxy;\nfastcgi_temp_path fastcgi;\n"
          "uwsgi_temp_path uwsgi;\nscgi_temp_path scgi;\n" +
          http + "}\n"),
      server_(kNginx, {"-p", std::filesystem::path(place_.path()).parent_path().string(), "-e", "stderr", "-c"},
              [this](std::uint16_t port) { return put_in_place(text_, "PORT", std::to_string(port)); }) {}

Json NginxOriginal::translation() const { return imported_config(put_in_place(text_, "PORT", "8080"), "nginx.conf"); }

}  // namespace headgate::test
