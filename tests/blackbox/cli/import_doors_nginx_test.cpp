// What keeps strangers out in nginx keeps them out of what `headgate import` makes of it.

#include "blackbox/harness/doors.hpp"

#include <gtest/gtest.h>

namespace headgate::test {
namespace {

class NginxDoor : public testing::TestWithParam<Door> {};

TEST_P(NginxDoor, StaysClosed) { expect_closed(GetParam(), "nginx.conf"); }

INSTANTIATE_TEST_SUITE_P(All, NginxDoor,
                         testing::Values(Door{"PasswordsWithoutAFile", R"(server { listen 8080;
               location / { auth_basic "x"; auth_basic_user_file /nowhere/users; proxy_pass http://127.0.0.1:APP; } })"},
                                         Door{"PasswordsWithAHashOfMd5", R"(server { listen 8080;
               location / { auth_basic "x"; auth_basic_user_file DIR/nginx.conf; proxy_pass http://127.0.0.1:APP; } })"},
                                         Door{"PasswordsOfAVariableFile", R"(server { listen 8080;
               location / { auth_basic "x"; auth_basic_user_file /etc/$host; proxy_pass http://127.0.0.1:APP; } })"}),
                         [](const auto& door) { return std::string(door.param.name); });

class OpenNginxDoor : public testing::TestWithParam<Door> {};

TEST_P(OpenNginxDoor, StaysOpen) { expect_open(GetParam(), "nginx.conf"); }

INSTANTIATE_TEST_SUITE_P(All, OpenNginxDoor,
                         testing::Values(Door{
                             "NothingProtects",
                             R"(server { listen 8080; location / { proxy_pass http://127.0.0.1:APP; } })"}),
                         [](const auto& door) { return std::string(door.param.name); });

}  // namespace
}  // namespace headgate::test
