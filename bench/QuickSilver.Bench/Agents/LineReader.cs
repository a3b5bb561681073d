namespace QuickSilver.Bench.Agents;

/// <summary>
/// Reads lines of bounded length from a stream, into one buffer that grows no further than the longest line allowed.
/// One reader.
/// </summary>
/// <param name="stream">Read from; stays the caller's.</param>
/// <param name="mostBytes">Of a line, its end included.</param>
internal sealed class LineReader(Stream stream, int mostBytes)
{
    private byte[] _buffer = new byte[Math.Min(mostBytes, 4096)];
    private int _start;
    private int _end;

    /// <summary>Bytes of the longest line that is read, its end included.</summary>
    public int MostBytes { get; set; } = mostBytes;

    /// <summary>The next line without its end, valid until the next call; null when the stream has ended.</summary>
    /// <exception cref="InvalidDataException">It is too long.</exception>
    /// <exception cref="IOException">The connection broke.</exception>
    public async ValueTask<ReadOnlyMemory<byte>?> ReadAsync(CancellationToken ct)
    {
        int looked = 0;
        while (true)
        {
            int at = _buffer.AsSpan(_start + looked, _end - _start - looked).IndexOf((byte)'\n');
            if (at >= 0)
            {
                int length = looked + at;
                if (length >= MostBytes) throw new InvalidDataException($"a line of more than {MostBytes} bytes");
                ReadOnlyMemory<byte> line = _buffer.AsMemory(_start, length);
                _start += length + 1;
                return line;
            }
            looked = _end - _start;
            if (looked >= MostBytes) throw new InvalidDataException($"a line of more than {MostBytes} bytes");
            MakeRoom();
            int read = await stream.ReadAsync(_buffer.AsMemory(_end), ct);
            if (read == 0) return null;
            _end += read;
        }
    }

    private void MakeRoom()
    {
        if (_end < _buffer.Length) return;
        byte[] next = _start > 0 ? _buffer : new byte[Math.Min((long)MostBytes, 2L * _buffer.Length)];
        _buffer.AsSpan(_start, _end - _start).CopyTo(next);
        _end -= _start;
        _start = 0;
        _buffer = next;
    }
}
