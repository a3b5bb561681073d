using QuickSilver.Security;
using QuickSilver.Tests.Api;

namespace QuickSilver.Tests.Security;

/// <summary>Real nodes whose datagrams are sealed.</summary>
[Collection(NodeCollection.Name)]
public sealed class SealedNodeTests
{
    private const int Count = 5_000;

    private static CipherSuite Suite() => new(CipherSuite.OfPlatform);

    [Theory]
    [InlineData(true, TransportKind.Auto, 60_000)]
    [InlineData(false, TransportKind.Auto, 60_000)]
    [InlineData(false, TransportKind.Auto, 1_400)]
    [InlineData(false, TransportKind.Unicast, 1_400)]
    public async Task Messages_arrive_and_nothing_is_rejected(bool isLent, TransportKind kind, int datagram)
    {
        await using var rig = new NodeRig(isSecured: false);
        (Group left, Group right) = await rig.StartPairAsync(change: options =>
        {
            options.Crypto = Suite();
            options.Transport.SharedMemory = isLent;
            options.Transport.Kind = kind;
            options.Transport.MaxDatagramBytes = datagram;
        });
        Task<List<string>> reading = NodeRig.ReadAsync(right, Count);
        for (int index = 0; index < Count; index++) await left.SendAsync($"message {index}");
        List<string> read = await reading.WaitAsync(NodeRig.Patience);
        Assert.Equal([.. Enumerable.Range(0, Count).Select(static index => $"message {index}")], read);
        await left.FlushAsync().WaitAsync(NodeRig.Patience);
    }

    [Theory]
    [InlineData(GroupMode.Lateral)]
    [InlineData(GroupMode.Timed)]
    [InlineData(GroupMode.Ordered)]
    public async Task Groups_of_other_modes_repair_what_is_lost_between_secured_nodes(GroupMode mode)
    {
        const int messages = 300;
        await using var rig = new NodeRig();
        // As long as tests wait, nothing is too late or too old.
        var options = new GroupOptions
        {
            Mode = mode switch
            {
                GroupMode.Lateral => new LateralMode { Deadline = NodeRig.Patience },
                GroupMode.Timed => new TimedMode { TimeToLive = NodeRig.Patience },
                _ => new OrderedMode(),
            },
        };
        (Group left, Group right) = await rig.StartPairAsync(
            "world", options, options, static node => Testing.FaultExtensions.UseFaults(node, dropReceived: 0.05));
        QuickSilverNode outside = await rig.StartAsync();
        Assert.Equal(SecurityMode.PreSharedKey, (await outside.GetStatisticsAsync()).Security);
        await using GroupPublisher publisher = await outside.OpenPublisherAsync(
            "world", new PublisherOptions { Mode = options.Mode });
        Task<List<string>> reading = NodeRig.ReadAsync(right, 2 * messages);
        for (int index = 0; index < messages; index++)
        {
            await left.SendAsync($"inside {index}");
            await publisher.SendAsync($"outside {index}");
            if (index % 10 == 9) await Task.Delay(1);
        }
        List<string> read = await reading.WaitAsync(NodeRig.Patience);
        IEnumerable<string> sent = Enumerable.Range(0, messages)
            .SelectMany(static index => new[] { $"inside {index}", $"outside {index}" });
        Assert.Equal(sent.Order(), read.Order());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_node_of_the_other_kind_is_refused_and_told_why(bool isServerSecured)
    {
        await using var rig = new NodeRig(isSecured: false);
        await rig.StartAsync(options => options.Crypto = isServerSecured ? Suite() : null);
        QuickSilverException refused = await Assert.ThrowsAnyAsync<QuickSilverException>(
            () => rig.StartAsync(options => options.Crypto = isServerSecured ? null : Suite()));
        Assert.Contains("is secured", refused.Message, StringComparison.Ordinal);
    }
}
