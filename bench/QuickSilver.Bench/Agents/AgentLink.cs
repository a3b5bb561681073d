using System.Collections.Concurrent;
using System.Net.Sockets;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>
/// The coordinator's end of its talk with one agent. When the agent goes, in whatever way, every role on it fails with
/// the agent's name and the reason. Any thread. Disposing ends the run on the agent.
/// </summary>
internal sealed class AgentLink : IAsyncDisposable
{
    private static readonly TimeSpan PingInterval = TimeSpan.FromSeconds(1);

    private readonly AgentConnection _connection;
    private readonly AgentLimits _limits;
    private readonly ConcurrentDictionary<int, AgentChild> _children = new();
    private readonly ConcurrentDictionary<int, TaskCompletionSource<long>> _asked = new();
    private readonly CancellationTokenSource _end = new();
    private Task _talk = Task.CompletedTask;
    private RunFailedException? _failure;
    private int _roles;

    private AgentLink(string name, AgentConnection connection, HostFacts facts, AgentLimits limits)
    {
        Name = name;
        _limits = limits;
        _connection = connection;
        Facts = facts;
    }

    /// <summary>As it was named: host and port.</summary>
    public string Name { get; }

    /// <summary>What it said about its host.</summary>
    public HostFacts Facts { get; }

    /// <summary>Calls an agent and takes it for this run.</summary>
    /// <param name="name">HOST:PORT.</param>
    /// <param name="key">The agent's.</param>
    /// <param name="ct">Ends the attempt.</param>
    /// <param name="limits">How long it is waited for; null: as usual.</param>
    /// <param name="open">Opens the socket to call from; null: one of this process's own network.</param>
    /// <exception cref="RunFailedException">It is away, busy, of another version, or has another key.</exception>
    public static async Task<AgentLink> ConnectAsync(
        string name, AgentKey key, CancellationToken ct, AgentLimits? limits = null, Func<Socket>? open = null)
    {
        limits ??= AgentLimits.Usual;
        (string host, int port) = Parse(name);
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(ct);
        limit.CancelAfter(limits.Answer);
        Socket socket = open?.Invoke() ?? new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.NoDelay = true;
        try
        {
            await socket.ConnectAsync(host, port, limit.Token);
            var stream = new NetworkStream(socket, ownsSocket: true);
            AgentConnection connection = await AgentHandshake.ConnectAsync(stream, key, limit.Token);
            connection.WriteLimit = limits.Answer;
            AgentMessage? said = await connection.ReadAsync(limit.Token);
            if (said is null) throw new InvalidDataException("does not take this key");
            if (said.Kind == AgentMessageKind.Busy) throw new InvalidDataException("is busy with another run");
            if (said is not { Kind: AgentMessageKind.Welcome, Facts: { } facts })
                throw new InvalidDataException($"said {said.Kind} instead of a welcome");
            var link = new AgentLink(name, connection, facts, limits);
            link._talk = Task.WhenAll(link.ListenAsync(), link.PingAsync());
            return link;
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            socket.Dispose();
            throw Failed(
                name,
                $"did not answer within {limits.Answer.TotalSeconds:N0} s. If its host is busy, give it longer: "
                + "--agent-answer SECONDS here, --answer SECONDS there");
        }
        catch (SocketException failure)
        {
            socket.Dispose();
            throw Failed(name, $"cannot be reached: {failure.Message}");
        }
        catch (IOException failure) when (failure.InnerException is SocketException)
        {
            socket.Dispose();
            throw Failed(name, "does not take this key, or has ended");
        }
        catch (Exception failure)
        {
            socket.Dispose();
            if (failure is InvalidDataException or IOException) throw Failed(name, failure.Message);
            throw;
        }
    }

    /// <summary>Starts a role on its host.</summary>
    /// <param name="order">What it is to do.</param>
    /// <param name="onLine">Told each line of its standard output.</param>
    /// <exception cref="RunFailedException">The agent is gone.</exception>
    public async Task<IChild> StartAsync(RoleOrder order, Action<string> onLine)
    {
        var child = new AgentChild(this, Interlocked.Increment(ref _roles), onLine);
        _children[child.Role] = child;
        if (_failure is { } failure) throw failure;
        await WriteAsync(new AgentMessage(AgentMessageKind.Start, child.Role, order));
        if (_failure is { } since) throw since;
        return child;
    }

    /// <summary>Bytes that the card of its host has sent so far.</summary>
    /// <exception cref="RunFailedException">The agent is gone.</exception>
    public async Task<long> SentBytesAsync()
    {
        var asked = new TaskCompletionSource<long>(TaskCreationOptions.RunContinuationsAsynchronously);
        int number = Interlocked.Increment(ref _roles);
        _asked[number] = asked;
        if (_failure is { } failure) throw failure;
        await WriteAsync(new AgentMessage(AgentMessageKind.Counters, number));
        return await asked.Task;
    }

    /// <summary>Says something; if the agent is gone, its roles have failed.</summary>
    public async Task WriteAsync(AgentMessage message)
    {
        try
        {
            await _connection.WriteAsync(message);
        }
        catch (Exception failure) when (failure is IOException or InvalidDataException)
        {
            Fail(failure.Message);
        }
    }

    /// <summary>Forgets a role that has ended.</summary>
    public void Forget(AgentChild child) => _children.TryRemove(child.Role, out _);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        _connection.Dispose();
        await _talk;
        _end.Dispose();
    }

    private static (string Host, int Port) Parse(string name)
    {
        int colon = name.LastIndexOf(':');
        return colon > 0 && ushort.TryParse(name.AsSpan(colon + 1), out ushort port) && port > 0
            ? (name[..colon], port) : throw Failed(name, "is not HOST:PORT");
    }

    private static RunFailedException Failed(string name, string reason) => new($"agent {name}: {reason}");

    private async Task ListenAsync()
    {
        string reason = "has closed the connection";
        try
        {
            while (await NextAsync() is { } message) Take(message);
        }
        catch (Exception failure)
            when (failure is IOException or InvalidDataException or OperationCanceledException
                or ObjectDisposedException)
        {
            reason = failure.Message;
        }
        Fail(_end.IsCancellationRequested ? "the run is over" : reason);
    }

    private async Task<AgentMessage?> NextAsync()
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(_end.Token);
        limit.CancelAfter(_limits.Silence);
        try
        {
            return await _connection.ReadAsync(limit.Token);
        }
        catch (OperationCanceledException) when (!_end.IsCancellationRequested)
        {
            throw new IOException(
                $"has said nothing for {_limits.Silence.TotalSeconds:N0} s. If its host is busy, give it longer: "
                + "--agent-silence SECONDS");
        }
    }

    private async Task PingAsync()
    {
        try
        {
            using var timer = new PeriodicTimer(PingInterval);
            while (_failure is null && await timer.WaitForNextTickAsync(_end.Token))
                await WriteAsync(new AgentMessage(AgentMessageKind.Ping));
        }
        catch (OperationCanceledException)
        {
            // The run is over.
        }
    }

    private void Take(AgentMessage message)
    {
        if (message.Kind == AgentMessageKind.Counters && _asked.TryRemove(message.Role, out var asked))
            asked.TrySetResult(message.Bytes);
        if (!_children.TryGetValue(message.Role, out AgentChild? child)) return;
        if (message.Kind == AgentMessageKind.Line) child.OnLine(message.Text ?? "");
        if (message.Kind == AgentMessageKind.Ended) child.OnEnded(message.Code, message.Text ?? "");
    }

    private void Fail(string reason)
    {
        RunFailedException failure = Failed(Name, reason);
        failure = Interlocked.CompareExchange(ref _failure, failure, null) ?? failure;
        foreach (AgentChild child in _children.Values) child.OnLost(failure);
        foreach (TaskCompletionSource<long> asked in _asked.Values) asked.TrySetException(failure);
        _connection.Dispose();
    }
}
