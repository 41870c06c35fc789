" SPDX-License-Identifier: MIT
autocmd BufNewFile,BufRead *.hip,*.hip.cpp set filetype=hip
