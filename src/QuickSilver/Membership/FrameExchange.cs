using System.Buffers.Binary;

namespace QuickSilver.Membership;

/// <summary>Asks one question over a connection that carries frames, and reads the answer. Any thread.</summary>
internal static class FrameExchange
{
    /// <summary>Sends a frame and reads the one that follows.</summary>
    /// <param name="stream">The connection.</param>
    /// <param name="question">The frame.</param>
    /// <param name="longest">The longest answer, in bytes.</param>
    /// <param name="stop">Ends the wait.</param>
    /// <returns>The answer; null when it is empty or too long: the connection is of no more use.</returns>
    /// <exception cref="IOException">The connection has ended.</exception>
    public static async ValueTask<byte[]?> AskAsync(
        Stream stream, ReadOnlyMemory<byte> question, int longest, CancellationToken stop)
    {
        await stream.WriteAsync(FrameBatch.Wrap(question.Span), stop).ConfigureAwait(false);
        byte[] prefix = new byte[FrameBatch.PrefixBytes];
        await stream.ReadExactlyAsync(prefix, stop).ConfigureAwait(false);
        int length = BinaryPrimitives.ReadInt32LittleEndian(prefix);
        if (length <= 0 || length > longest) return null;
        byte[] answer = new byte[length];
        await stream.ReadExactlyAsync(answer, stop).ConfigureAwait(false);
        return answer;
    }
}
