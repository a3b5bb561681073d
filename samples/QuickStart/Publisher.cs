using System.Buffers.Binary;
using System.Diagnostics;
using QuickSilver;

namespace QuickStart;

/// <summary>Waits for the subscribers, sends all messages round-robin, and leaves when all members hold them.</summary>
internal static class Publisher
{
    public static async Task<string?> RunAsync(Plan plan, CancellationToken stop)
    {
        await using QuickSilverNode node = await QuickSilverNode.StartAsync(plan.NodeOptions("publisher"), stop);
        var options = new GroupOptions { SelfDelivery = false };
        IReadOnlyList<Group> groups = await node.JoinManyAsync(plan.GroupNames, options, stop);
        foreach (Group group in groups) await group.WaitForMembersAsync(plan.Subscribers + 1, stop);
        byte[] message = new byte[plan.Size];
        long start = Stopwatch.GetTimestamp();
        for (int sent = 0; sent < plan.Messages; sent++)
        {
            (int number, int group) = Math.DivRem(sent, plan.Groups);
            BinaryPrimitives.WriteInt64LittleEndian(message, Stopwatch.GetTimestamp());
            BinaryPrimitives.WriteInt64LittleEndian(message.AsSpan(8), number);
            BinaryPrimitives.WriteInt32LittleEndian(message.AsSpan(16), group);
            message.AsSpan(Plan.HeadBytes).Fill((byte)(number + group));
            await groups[group].SendAsync(message.AsMemory(), stop); // copied when the call returns
        }
        await node.FlushAsync(stop);
        double rate = plan.Messages / Stopwatch.GetElapsedTime(start).TotalSeconds;
        Console.WriteLine($"publisher: sent {plan.Messages:N0} messages, {rate:N0} a second; all members hold them");
        return null;
    }
}
