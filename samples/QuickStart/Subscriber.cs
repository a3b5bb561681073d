using System.Buffers.Binary;
using System.Diagnostics;
using QuickSilver;

namespace QuickStart;

/// <summary>Checks each message on the core thread, until all have arrived or one is wrong.</summary>
internal static class Subscriber
{
    /// <returns>The first fault; null if there is none.</returns>
    public static async Task<string?> RunAsync(Plan plan, string name, CancellationToken stop)
    {
        var end = new TaskCompletionSource<string?>(TaskCreationOptions.RunContinuationsAsynchronously);
        long[] next = new long[plan.Groups];
        double[] milliseconds = new double[plan.Messages];
        int received = 0;
        await using QuickSilverNode node = await QuickSilverNode.StartAsync(plan.NodeOptions(name), stop);
        var options = new GroupOptions
        {
            BufferBeforeFirstRead = false,
            OnMessage = (in message) =>
            {
                ReadOnlySpan<byte> payload = message.Payload;
                if (payload.Length != plan.Size)
                {
                    end.TrySetResult($"a message has {payload.Length} bytes");
                    return;
                }
                long sent = BinaryPrimitives.ReadInt64LittleEndian(payload);
                long number = BinaryPrimitives.ReadInt64LittleEndian(payload[8..]);
                int group = BinaryPrimitives.ReadInt32LittleEndian(payload[16..]);
                string? fault = message.Group.Name != $"topic-{group}" ? $"belongs to topic-{group}"
                    : number != next[group]++ ? $"is number {number} where {next[group] - 1} is next"
                    : payload[Plan.HeadBytes..].ContainsAnyExcept((byte)(number + group)) ? "is damaged"
                    : received == plan.Messages ? "is one too many" : null;
                if (fault is not null) end.TrySetResult($"message {message.Sequence} of {message.Group.Name} {fault}");
                else milliseconds[received++] = Stopwatch.GetElapsedTime(sent).TotalMilliseconds;
                if (received == plan.Messages) end.TrySetResult(null);
            },
        };
        await node.JoinManyAsync(plan.GroupNames, options, stop);
        if (await end.Task.WaitAsync(stop) is { } found) return found;
        NodeStatistics statistics = await node.GetStatisticsAsync(stop);
        Array.Sort(milliseconds);
        Console.WriteLine($"{name}: received {received:N0} messages; from send to handler half of them took less than "
            + $"{milliseconds[received / 2]:N1} ms, 99 % less than {milliseconds[received * 99L / 100]:N1}; "
            + $"{statistics.PacketsMissed} packets lost, {statistics.RepairsFromPeers} repaired by peers, "
            + $"{statistics.RepairsFromSenders} by the sender");
        return null;
    }
}
