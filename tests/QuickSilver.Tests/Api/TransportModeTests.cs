namespace QuickSilver.Tests.Api;

/// <summary>Whole nodes in every way that messages can travel on sockets: the same messages, whole and in order, from two senders at once.</summary>
[Collection(NodeCollection.Name)]
public sealed class TransportModeTests
{
    private const int MessagesEach = 400;

    private static readonly Dictionary<string, Action<TransportOptions>> Modes = new()
    {
        ["whole trains"] = static _ => { },
        ["short datagrams"] = static transport => transport.MaxDatagramBytes = 1372,
        ["no segmentation"] = static transport => (transport.MaxDatagramBytes, transport.Segmentation) = (1372, false),
        ["no coalescing"] = static transport => (transport.MaxDatagramBytes, transport.Coalescing) = (1372, false),
        ["neither"] = static transport => (transport.MaxDatagramBytes, transport.Segmentation, transport.Coalescing) = (1372, false, false),
        ["portable"] = static transport => (transport.MaxDatagramBytes, transport.FastPath) = (1372, FastPathMode.Off),
        ["portable, whole trains"] = static transport => transport.FastPath = FastPathMode.Off,
        ["unicast"] = static transport => (transport.MaxDatagramBytes, transport.Kind) = (1372, TransportKind.Unicast),
        ["small buffers"] = static transport => transport.ReceiveBufferBytes = 64 << 10,
    };

    public static TheoryData<string> Names => [.. Modes.Keys];

    [Theory]
    [MemberData(nameof(Names))]
    public async Task Every_member_hears_the_same(string mode)
    {
        await using var rig = new NodeRig();
        List<Group> groups = [];
        for (int member = 0; member < 3; member++)
        {
            QuickSilverNode node = await rig.StartAsync(options => Modes[mode](options.Transport));
            groups.Add(await node.JoinAsync("group"));
        }
        foreach (Group group in groups) await group.WaitForMembersAsync(3).AsTask().WaitAsync(NodeRig.Patience);

        Task<List<string>>[] readers = [.. groups.Select(static group => NodeRig.ReadAsync(group, 2 * MessagesEach))];
        await Task.WhenAll(SendAsync(groups[0], "a"), SendAsync(groups[1], "b")).WaitAsync(NodeRig.Patience);
        foreach (List<string> read in await Task.WhenAll(readers).WaitAsync(NodeRig.Patience))
        {
            Assert.Equal(Texts("a"), read.Where(static text => text[0] == 'a'));
            Assert.Equal(Texts("b"), read.Where(static text => text[0] == 'b'));
        }
    }

    private static async Task SendAsync(Group group, string sender)
    {
        foreach (string text in Texts(sender)) await group.SendAsync(text);
    }

    // From shorter than a header to longer than any datagram.
    private static IEnumerable<string> Texts(string sender) =>
        Enumerable.Range(0, MessagesEach).Select(index => sender + index + new string('.', index % 50 == 49 ? 100_000 : index * index % 3000));
}
