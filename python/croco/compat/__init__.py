# SPDX-License-Identifier: Apache-2.0
"""Interfaces of other packages, answered by croco."""
