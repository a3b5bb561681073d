namespace QuickSilver.Tests.Api;

/// <summary>Whole nodes in every way that messages can travel on sockets: the same messages, whole and in order, from
/// two senders at once.</summary>
[Collection(NodeCollection.Name)]
public sealed class TransportModeTests
{
    private const int MessagesEach = 400;
    private const int MostRounds = 20;

    private static readonly Dictionary<string, Action<TransportOptions>> Modes = new()
    {
        ["shared memory"] = static _ => { },
        ["shared memory, the shortest datagrams"] = static transport => transport.MaxDatagramBytes = 4 << 10,
        ["shared memory, portable"] = static transport => transport.FastPath = false,
        ["whole trains"] = static transport => transport.SharedMemory = false,
        ["short datagrams"] = static transport => Short(transport),
        ["short datagrams, memory offered"] = static transport => Short(transport).SharedMemory = true,
        ["no segmentation"] = static transport => Short(transport).Segmentation = false,
        ["no coalescing"] = static transport => Short(transport).Coalescing = false,
        ["neither"] = static transport => (Short(transport).Segmentation, transport.Coalescing) = (false, false),
        ["portable"] = static transport => Short(transport).FastPath = false,
        ["portable, whole trains"] = static transport => (
            transport.SharedMemory, transport.FastPath) = (false, false),
        ["unicast"] = static transport => Short(transport).Kind = TransportKind.Unicast,
        ["small buffers"] = static transport => (
            transport.SharedMemory, transport.ReceiveBufferBytes) = (false, 64 << 10),
    };

    public static TheoryData<string> Names => [.. Modes.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public async Task Every_member_hears_the_same(string mode)
    {
        await using var rig = new NodeRig();
        List<QuickSilverNode> nodes = [];
        List<Group> groups = [];
        for (int member = 0; member < 3; member++)
        {
            QuickSilverNode node = await rig.StartAsync(options => Modes[mode](options.Transport));
            nodes.Add(node);
            groups.Add(await node.JoinAsync("group"));
        }
        foreach (Group group in groups) await group.WaitForMembersAsync(3).WaitAsync(NodeRig.Patience);

        // Where memory is shared packets are lent, by both senders; as soon as the others have opened it, which may
        // take longer than a few packets. Each node counts for itself, and is not asked at the same instant.
        bool shares = mode.StartsWith("shared memory", StringComparison.Ordinal) && OperatingSystem.IsLinux();
        for (int round = 0; round == 0 || (shares && round < MostRounds && !IsLentToAll(nodes)); round++)
            await HearAsync(groups);
        Assert.All(Lent(nodes), lent => Assert.Equal(shares, lent > 0));
        Assert.Equal(shares, Borrowed(nodes) > 0);
    }

    private static bool IsLentToAll(List<QuickSilverNode> nodes) => Lent(nodes).Min() > 0 && Borrowed(nodes) > 0;

    private static long Borrowed(List<QuickSilverNode> nodes) => nodes[2].GetStatistics().PacketsBorrowed;

    private static IEnumerable<long> Lent(List<QuickSilverNode> nodes) =>
        nodes.Take(2).Select(static node => node.GetStatistics().PacketsLent);

    private static async Task HearAsync(List<Group> groups)
    {
        Task<List<string>>[] readers = [.. groups.Select(static group => NodeRig.ReadAsync(group, 2 * MessagesEach))];
        await Task.WhenAll(SendAsync(groups[0], "a"), SendAsync(groups[1], "b")).WaitAsync(NodeRig.Patience);
        foreach (List<string> read in await Task.WhenAll(readers).WaitAsync(NodeRig.Patience))
        {
            Assert.Equal(Texts("a"), read.Where(static text => text[0] == 'a'));
            Assert.Equal(Texts("b"), read.Where(static text => text[0] == 'b'));
        }
    }

    private static TransportOptions Short(TransportOptions transport)
    {
        (transport.SharedMemory, transport.MaxDatagramBytes) = (false, 1372);
        return transport;
    }

    private static async Task SendAsync(Group group, string sender)
    {
        foreach (string text in Texts(sender)) await group.SendAsync(text);
    }

    // From shorter than a header to longer than any datagram.
    private static IEnumerable<string> Texts(string sender) =>
        Enumerable.Range(0, MessagesEach)
            .Select(index => sender + index + new string('.', index % 50 == 49 ? 100_000 : index * index % 3000));
}
