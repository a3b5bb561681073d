using System.Diagnostics;
using System.Net.Sockets;
using QuickSilver.Membership;
using QuickSilver.Tests.Api;
using QuickSilver.Tests.Membership;

namespace QuickSilver.Tests.Allocation;

/// <summary>What a membership host holds for those who only connect: those who can reach the port decide how many they
/// are.</summary>
[Collection(AllocationCollection.Name)]
public sealed class StrangerTests
{
    private const int Strangers = 500;

    /// <summary>Sockets of both ends, pipes, tasks and the first small buffer; one receive buffer of 64 KiB would not
    /// fit.</summary>
    private const int MostBytesEach = 32 << 10;

    [Theory]
    [InlineData(0)]
    [InlineData(3)]
    public async Task Strangers_that_do_not_say_who_they_are_cost_little_memory(int bytesSaid)
    {
        await using MembershipHost host = new TestHost().Start();
        List<Socket> strangers = [];
        try
        {
            long before = GC.GetTotalMemory(forceFullCollection: true);
            for (int index = 0; index < Strangers; index++)
            {
                var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                strangers.Add(socket);
                await socket.ConnectAsync(host.EndPoint);
                await socket.SendAsync(new byte[bytesSaid]);
            }
            long start = Stopwatch.GetTimestamp();
            while (host.Counters.Accepted < Strangers)
            {
                Assert.True(Stopwatch.GetElapsedTime(start) < NodeRig.Patience, "not all were accepted");
                await Task.Delay(1);
            }
            // A host that reads does so as soon as a connection is there.
            await Task.Delay(TimeSpan.FromMilliseconds(300));
            Assert.InRange(
                (GC.GetTotalMemory(forceFullCollection: true) - before) / Strangers, long.MinValue, MostBytesEach);
        }
        finally
        {
            strangers.ForEach(static socket => socket.Dispose());
        }
    }
}
