using System.Net;
using System.Net.Sockets;
using Microsoft.Extensions.Logging.Abstractions;

namespace QuickSilver.Tests.Api;

/// <summary>A cluster of real nodes on the loopback interface, with a membership port of its own. As by default, it is
/// secured by this user's own key.</summary>
/// <param name="isSecured">False for nodes that are not: what a test looks at shows there alone.</param>
internal sealed class NodeRig(bool isSecured = true) : IAsyncDisposable
{
    /// <summary>How long anything may take before a test gives up on it.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    private readonly List<QuickSilverNode> _nodes = [];
    private readonly int _port = FreePort();

    /// <summary>The membership port.</summary>
    public int Port => _port;

    public QuickSilverOptions Options(Action<QuickSilverOptions>? change = null)
    {
        var options = new QuickSilverOptions { ClusterName = "tests" };
        options.Membership.Port = _port;
        options.UseLoggerFactory(NullLoggerFactory.Instance);
        if (!isSecured) options.Security.UseNone();
        change?.Invoke(options);
        return options;
    }

    public async Task<QuickSilverNode> StartAsync(Action<QuickSilverOptions>? change = null)
    {
        QuickSilverNode node = await QuickSilverNode.StartAsync(Options(change)).WaitAsync(Patience);
        _nodes.Add(node);
        return node;
    }

    /// <summary>Starts two nodes and joins both to one group.</summary>
    public async Task<(Group Left, Group Right)> StartPairAsync(
        string name = "group", GroupOptions? left = null, GroupOptions? right = null,
        Action<QuickSilverOptions>? change = null)
    {
        QuickSilverNode a = await StartAsync(change);
        QuickSilverNode b = await StartAsync(change);
        Group first = await a.JoinAsync(name, left);
        Group second = await b.JoinAsync(name, right);
        await second.WaitForMembersAsync(2).WaitAsync(Patience);
        await first.WaitForMembersAsync(2).WaitAsync(Patience);
        return (first, second);
    }

    /// <summary>Starts three nodes with <see cref="Trouble.Quick"/> times in one group, and one beside it that serves
    /// the membership: what happens to the three does not happen to the server.</summary>
    public async Task<Group[]> StartThreeAsync(Action<QuickSilverOptions>? change = null)
    {
        Action<QuickSilverOptions> all = Trouble.Quick + change;
        await StartAsync(all);
        var groups = new Group[3];
        for (int index = 0; index < groups.Length; index++)
            groups[index] = await (await StartAsync(all)).JoinAsync("group");
        foreach (Group group in groups) await group.WaitForMembersAsync(3).WaitAsync(Patience);
        return groups;
    }

    public static async Task<List<string>> ReadAsync(Group group, int count)
    {
        using var limit = new CancellationTokenSource(Patience);
        var read = new List<string>();
        await foreach (Message message in group.ReadAllAsync(limit.Token))
        {
            read.Add(message.GetString());
            if (read.Count == count) break;
        }
        return read;
    }

    /// <summary>Reads until the sequence ends.</summary>
    public static async Task<List<string>> ReadToEndAsync(Group group)
    {
        using var limit = new CancellationTokenSource(Patience);
        var read = new List<string>();
        await foreach (Message message in group.ReadAllAsync(limit.Token)) read.Add(message.GetString());
        return read;
    }

    /// <summary>Waits for something that no task tells of.</summary>
    public static async Task UntilAsync(Func<bool> holds, string what)
    {
        long start = Environment.TickCount64;
        while (!holds())
        {
            Assert.True(Environment.TickCount64 - start < Patience.TotalMilliseconds, $"never: {what}");
            await Task.Delay(5);
        }
    }

    /// <summary>As the overload above, for what is found out by a call that waits.</summary>
    public static async Task UntilAsync(Func<Task<bool>> holds, string what)
    {
        long start = Environment.TickCount64;
        while (!await holds())
        {
            Assert.True(Environment.TickCount64 - start < Patience.TotalMilliseconds, $"never: {what}");
            await Task.Delay(5);
        }
    }

    public async ValueTask DisposeAsync()
    {
        foreach (QuickSilverNode node in _nodes) await node.DisposeAsync();
    }

    /// <summary>A port at which nobody listens.</summary>
    public static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }
}
