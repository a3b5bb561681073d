using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using QuickSilver.Tests.Api;

namespace QuickSilver.Hosting.Tests;

/// <summary>Tests that count what the whole process allocates: nothing runs beside them.</summary>
[CollectionDefinition(Name, DisableParallelization = true)]
public sealed class AllocationCollection
{
    public const string Name = "allocation";
}

/// <summary>A message of a hosted group costs no byte more than one that is sent and read by hand.</summary>
[Collection(AllocationCollection.Name)]
public sealed class HostedAllocationTests
{
    private const int Messages = 20_000;
    private const int Attempts = 8;

    [Fact]
    public async Task A_hosted_message_allocates_what_one_by_hand_does()
    {
        await using var rig = new HostRig();
        IHost host = await rig.StartAsync(services => services.AddQuickSilver(rig.Here)
            .AddGroup("hosted").AddHandler<CountingHandler>("hosted"));
        QuickSilverNode node = await rig.StartNodeAsync();
        Group group = await node.JoinAsync("by hand");
        var byHand = new CountingHandler();
        Task reading = Task.Run(async () =>
        {
            await foreach (Message message in group.ReadAllAsync())
                await byHand.HandleAsync(message, CancellationToken.None);
        });
        var hosted = host.Services.GetRequiredService<CountingHandler>();
        var sender = host.Services.GetRequiredKeyedService<IQuickSilverGroup>("hosted");
        byte[] payload = new byte[200];
        double leastHosted = double.MaxValue, leastByHand = double.MaxValue;
        for (int attempt = 0; attempt < Attempts; attempt++)
        {
            leastHosted = Math.Min(
                leastHosted, await CountAsync(hosted, () => sender.SendAsync(payload.AsMemory())));
            leastByHand = Math.Min(
                leastByHand, await CountAsync(byHand, () => group.SendAsync(payload.AsMemory())));
        }
        Assert.InRange(leastHosted - leastByHand, double.MinValue, 1);
        await group.DisposeAsync();
        await reading.WaitAsync(NodeRig.Patience);
    }

    // Bytes a message, of both ends.
    private static async Task<double> CountAsync(CountingHandler handler, Func<ValueTask> send)
    {
        long until = handler.Handled + Messages;
        long before = GC.GetTotalAllocatedBytes(precise: true);
        for (int index = 0; index < Messages; index++) await send();
        // By a thread that sleeps: a wait by a task allocates.
        while (handler.Handled < until) Thread.Sleep(1);
        return (GC.GetTotalAllocatedBytes(precise: true) - before) / (double)Messages;
    }

    internal sealed class CountingHandler : IMessageHandler
    {
        private long _handled;

        public long Handled => Volatile.Read(ref _handled);

        public ValueTask HandleAsync(Message message, CancellationToken cancellationToken)
        {
            Interlocked.Increment(ref _handled);
            return default;
        }
    }
}
