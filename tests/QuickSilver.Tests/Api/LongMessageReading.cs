using System.Buffers;
using System.IO.Pipelines;

namespace QuickSilver.Tests.Api;

/// <summary>Content of long messages, and ways to read them.</summary>
internal static class LongMessageReading
{
    /// <summary>Options of a group that keeps what begins before the first reader.</summary>
    public static readonly GroupOptions Keeping = new() { Mode = new ReliableMode { KeepLongMessages = true } };

    public static byte[] Content(int length, int seed = 7)
    {
        var bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        bytes[0] = (byte)seed;
        return bytes;
    }

    public static async Task<LongMessage> NextAsync(Group group)
    {
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        await foreach (LongMessage message in group.ReadLongMessagesAsync(limit.Token)) return message;
        throw new InvalidOperationException("there is none");
    }

    public static async Task<byte[]> ReadToEndAsync(PipeReader reader)
    {
        using var limit = new CancellationTokenSource(NodeRig.Patience);
        while (true)
        {
            ReadResult result = await reader.ReadAsync(limit.Token);
            if (!result.IsCompleted)
            {
                reader.AdvanceTo(result.Buffer.Start, result.Buffer.End);
                continue;
            }
            byte[] all = result.Buffer.ToArray();
            reader.AdvanceTo(result.Buffer.End);
            await reader.CompleteAsync();
            return all;
        }
    }
}
