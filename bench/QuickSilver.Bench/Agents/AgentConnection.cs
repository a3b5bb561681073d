using System.Buffers.Binary;
using System.Security.Cryptography;
using System.Text.Json;

namespace QuickSilver.Bench.Agents;

/// <summary>
/// A connection between an agent and its coordinator after the handshake. Each line is 64 hexadecimal digits, a space
/// and JSON; the digits are an HMAC over direction, number and JSON, so a line that anybody else wrote, changed,
/// repeated or left out is not taken. One reader; any thread writes. Disposing closes the connection.
/// </summary>
internal sealed class AgentConnection : IDisposable
{
    /// <summary>Bytes of the longest line.</summary>
    public const int MostBytes = 1 << 20;

    private const int DigitBytes = 64;

    private readonly Stream _stream;
    private readonly LineReader _reader;
    private readonly byte[] _key;
    private readonly bool _isAgent;
    private readonly SemaphoreSlim _writing = new(1);
    private ulong _read;
    private ulong _written;

    /// <summary>Takes over a stream whose ends have agreed on a key.</summary>
    /// <param name="stream">Disposed with this.</param>
    /// <param name="reader">What has read the handshake from it.</param>
    /// <param name="key">Of this connection alone.</param>
    /// <param name="isAgent">Which end this is.</param>
    public AgentConnection(Stream stream, LineReader reader, byte[] key, bool isAgent)
    {
        _stream = stream;
        _reader = reader;
        _reader.MostBytes = MostBytes;
        _key = key;
        _isAgent = isAgent;
    }

    /// <summary>How long a write waits for the other end to read.</summary>
    public TimeSpan WriteLimit { get; set; } = AgentLimits.Usual.Answer;

    /// <summary>The next message; null when the other end has closed.</summary>
    /// <exception cref="InvalidDataException">A line is too long, not sealed by the other end, or no
    /// message.</exception>
    /// <exception cref="IOException">The connection broke.</exception>
    public async ValueTask<AgentMessage?> ReadAsync(CancellationToken ct)
    {
        if (await _reader.ReadAsync(ct) is not { } line) return null;
        if (line.Length <= DigitBytes || !IsSealed(line.Span))
            throw new InvalidDataException("a line without its seal");
        _read++;
        try
        {
            return JsonSerializer.Deserialize(line.Span[(DigitBytes + 1)..], AgentJson.Default.AgentMessage)
                ?? throw new InvalidDataException("an empty line");
        }
        catch (JsonException failure)
        {
            throw new InvalidDataException($"a line that is no message: {failure.Message}");
        }
    }

    /// <summary>Sends a message.</summary>
    /// <exception cref="InvalidDataException">It is longer than the other end takes.</exception>
    /// <exception cref="IOException">The connection broke, or the other end does not read.</exception>
    public async Task WriteAsync(AgentMessage message)
    {
        byte[] text = JsonSerializer.SerializeToUtf8Bytes(message, AgentJson.Default.AgentMessage);
        if (text.Length + DigitBytes + 2 > MostBytes)
            throw new InvalidDataException($"a message of {text.Length} bytes, more than a line takes");
        await _writing.WaitAsync();
        try
        {
            byte[] line = [.. Convert.ToHexString(Mac(_isAgent, _written++, text)).Select(digit => (byte)digit),
                (byte)' ', .. text, (byte)'\n'];
            using var limit = new CancellationTokenSource(WriteLimit);
            await _stream.WriteAsync(line, limit.Token);
        }
        catch (OperationCanceledException)
        {
            throw new IOException($"nothing was read for {WriteLimit.TotalSeconds:N0} s");
        }
        catch (ObjectDisposedException)
        {
            throw new IOException("the connection is closed");
        }
        finally
        {
            _writing.Release();
        }
    }

    /// <inheritdoc/>
    public void Dispose() => _stream.Dispose();

    private bool IsSealed(ReadOnlySpan<byte> line)
    {
        Span<byte> given = stackalloc byte[DigitBytes / 2];
        return line[DigitBytes] == (byte)' '
            && Convert.FromHexString(line[..DigitBytes], given, out _, out _) == System.Buffers.OperationStatus.Done
            && CryptographicOperations.FixedTimeEquals(given, Mac(!_isAgent, _read, line[(DigitBytes + 1)..]));
    }

    private byte[] Mac(bool isFromAgent, ulong number, ReadOnlySpan<byte> text)
    {
        Span<byte> head = stackalloc byte[9];
        head[0] = isFromAgent ? (byte)'a' : (byte)'c';
        BinaryPrimitives.WriteUInt64LittleEndian(head[1..], number);
        using var hmac = IncrementalHash.CreateHMAC(HashAlgorithmName.SHA256, _key);
        hmac.AppendData(head);
        hmac.AppendData(text);
        return hmac.GetHashAndReset();
    }
}
