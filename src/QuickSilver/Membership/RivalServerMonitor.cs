using System.Buffers.Binary;
using System.Net;
using System.Net.Sockets;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Security;

namespace QuickSilver.Membership;

/// <summary>
/// Asks the other configured addresses whether a host of the same cluster serves there, at the start and then once a
/// minute. All are asked in parallel. Addresses without a listener cost a start <see cref="DecisionTime"/> at most; a
/// listener is given more time to answer.
/// </summary>
/// <param name="claim">The claim of the host.</param>
/// <param name="servers">The hosts and ports to ask; the host's own may be among them.</param>
/// <param name="countNodes">Returns the number of nodes registered at the host.</param>
/// <param name="events">Receives reports of rival hosts.</param>
/// <param name="security">Secures connections; null for none.</param>
internal sealed class RivalServerMonitor(
    HostClaim claim,
    IReadOnlyList<(string Host, int Port)> servers,
    Func<int> countNodes,
    IMembershipHostEvents events,
    ChannelSecurity? security = null)
    : IAsyncDisposable
{
    private const int MaxAnswerBytes = 1 << 10;
    private static readonly TimeSpan AnswerTime = TimeSpan.FromSeconds(3);
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);

    private readonly CancellationTokenSource _stop = new();
    private Task _running = Task.CompletedTask;

    /// <summary>The time that a start waits for connections.</summary>
    public TimeSpan DecisionTime { get; init; } = TimeSpan.FromMilliseconds(250);

    /// <summary>Asks all addresses, then decides the claim.</summary>
    /// <returns>The address of a host that takes precedence; null when this host serves.</returns>
    public async Task<string?> DecideAsync()
    {
        if (servers.Count > 0) await AskAllAsync(DecisionTime).ConfigureAwait(false);
        return claim.Decide();
    }

    /// <summary>Starts to ask at intervals. Call once.</summary>
    public void Start()
    {
        if (servers.Count == 0) return;
        using (ExecutionContext.SuppressFlow()) _running = Task.Run(RunAsync);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _stop.CancelAsync().ConfigureAwait(false);
        await _running.ConfigureAwait(false);
    }

    private async Task RunAsync()
    {
        TimeSpan pause = FirstPause;
        while (!_stop.IsCancellationRequested)
        {
            await Task.Delay(pause, _stop.Token).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (_stop.IsCancellationRequested) return;
            await AskAllAsync(AnswerTime).ConfigureAwait(false);
            pause = pause * 2 < LongestPause ? pause * 2 : LongestPause;
        }
    }

    private async Task AskAllAsync(TimeSpan limit)
    {
        await Task.WhenAll(servers.Select(server => AskAsync(server.Host, server.Port, limit))).ConfigureAwait(false);
    }

    // An address without a listener, or without an answer, has no rival.
    private async Task AskAsync(string host, int port, TimeSpan limit)
    {
        (IPAddress[] addresses, _) = await HostAddresses.FindAsync(host, limit, _stop.Token).ConfigureAwait(false);
        HostClaimFrame?[] answers = await Task.WhenAll(
            addresses.Select(address => AskAsync(host, new IPEndPoint(address, port), limit))).ConfigureAwait(false);
        foreach (HostClaimFrame answer in answers.OfType<HostClaimFrame>())
        {
            if (claim.OnOther(answer, $"{host}:{port}")) events.OnRival($"{host}:{port}", answer.Nodes);
        }
    }

    private async Task<HostClaimFrame?> AskAsync(string host, IPEndPoint server, TimeSpan limit)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(_stop.Token);
        end.CancelAfter(limit);
        var frame = new FrameBuilder();
        claim.ToFrame(countNodes()).WriteTo(frame, FrameKind.HostQuery);
        byte[] question = FrameBatch.Wrap(frame.Span);
        try
        {
            using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
            await socket.ConnectAsync(server, end.Token).ConfigureAwait(false);
            end.CancelAfter(AnswerTime);
            await using Stream stream = security is null
                ? new NetworkStream(socket)
                : (await security.OpenAsNodeAsync(socket, host, end.Token).ConfigureAwait(false)).Stream;
            await stream.WriteAsync(question, end.Token).ConfigureAwait(false);
            byte[] prefix = new byte[FrameBatch.PrefixBytes];
            await stream.ReadExactlyAsync(prefix, end.Token).ConfigureAwait(false);
            int length = BinaryPrimitives.ReadInt32LittleEndian(prefix);
            if (length is <= 0 or > MaxAnswerBytes) return null;
            byte[] answer = new byte[length];
            await stream.ReadExactlyAsync(answer, end.Token).ConfigureAwait(false);
            return HostClaimFrame.TryRead(answer, FrameKind.HostAnswer);
        }
        // A host with another key is another cluster: its log tells that this one called.
        catch (Exception silent)
            when (silent is SocketException or IOException or OperationCanceledException or HandshakeException)
        {
            return null;
        }
    }
}
