using System.ComponentModel;
using System.Net;
using System.Text.Json;
using System.Threading.Channels;
using QuickSilver.Bench.Processes;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Bench.Agents;

/// <summary>
/// One coordinator's run on an agent: starts roles as children of this process and carries their lines. It ends when
/// the coordinator closes, breaks the rules, or says nothing for some seconds; its children end with it. Children end
/// with their standard input, so they do not outlive the agent either.
/// </summary>
/// <param name="connection">With the coordinator; stays the caller's.</param>
/// <param name="address">Of the card that roles use.</param>
/// <param name="silence">A coordinator that has said nothing for so long is gone.</param>
internal sealed class AgentSession(AgentConnection connection, IPAddress address, TimeSpan silence) : IAsyncDisposable
{
    private const int MostRoles = 256;

    private readonly Dictionary<int, ChildProcess> _children = [];
    private readonly List<Task> _closing = [];
    private readonly Channel<AgentMessage> _answers = Channel.CreateUnbounded<AgentMessage>();

    /// <summary>Welcomes the coordinator and does what it says.</summary>
    /// <exception cref="IOException">The connection broke.</exception>
    /// <exception cref="InvalidDataException">It broke the rules.</exception>
    public async Task RunAsync(CancellationToken ct)
    {
        await connection.WriteAsync(new AgentMessage(AgentMessageKind.Welcome, Facts: HostFacts.Here(address)));
        Task answering = AnswerAsync();
        try
        {
            while (await NextAsync(ct) is { } message) await DoAsync(message);
        }
        finally
        {
            _answers.Writer.TryComplete();
            await answering;
        }
    }

    /// <summary>Ends all roles.</summary>
    public async ValueTask DisposeAsync()
    {
        await Task.WhenAll([.. _closing, .. _children.Values.Select(child => child.DisposeAsync().AsTask())]);
        _children.Clear();
    }

    private async Task<AgentMessage?> NextAsync(CancellationToken ct)
    {
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(ct);
        limit.CancelAfter(silence);
        try
        {
            return await connection.ReadAsync(limit.Token);
        }
        catch (OperationCanceledException) when (!ct.IsCancellationRequested)
        {
            throw new IOException($"the coordinator has said nothing for {silence.TotalSeconds:N0} s");
        }
    }

    // The roles' lines come on threads of the pool; one task puts everything on the connection.
    private async Task AnswerAsync()
    {
        try
        {
            await foreach (AgentMessage message in _answers.Reader.ReadAllAsync()) await connection.WriteAsync(message);
        }
        catch (Exception failure) when (failure is IOException or InvalidDataException)
        {
            // The reader sees the connection's end too, and the coordinator its own.
            connection.Dispose();
        }
    }

    private async Task DoAsync(AgentMessage message)
    {
        switch (message.Kind)
        {
            case AgentMessageKind.Start when message.Order is { } order:
                await StartAsync(message.Role, order);
                break;
            case AgentMessageKind.Tell when _children.TryGetValue(message.Role, out ChildProcess? child):
                await child.TellAsync(message.Text ?? "");
                break;
            case AgentMessageKind.Close when _children.Remove(message.Role, out ChildProcess? child):
                // A role may take its time; the coordinator is heard meanwhile.
                _closing.RemoveAll(closing => closing.IsCompleted);
                _closing.Add(child.DisposeAsync().AsTask());
                break;
            case AgentMessageKind.Kill when _children.TryGetValue(message.Role, out ChildProcess? child):
                child.Kill();
                break;
            case AgentMessageKind.Ping:
                Answer(message);
                break;
            case AgentMessageKind.Counters:
                Answer(message with { Bytes = HostFacts.SentBytes(address.ToString()) });
                break;
        }
    }

    private async Task StartAsync(int role, RoleOrder order)
    {
        if (_children.Count >= MostRoles || _children.ContainsKey(role))
            throw new InvalidDataException($"role {role} is one too many");
        ChildProcess child;
        try
        {
            child = ChildProcess.Start(
                order.Name, RoleProgram.Command(), line => Answer(new(AgentMessageKind.Line, role, Text: line)),
                RoleProgram.EnvironmentOf(order, null));
        }
        catch (Win32Exception failure)
        {
            Answer(new(AgentMessageKind.Ended, role, Text: failure.Message, Code: -1));
            return;
        }
        _children.Add(role, child);
        _ = WatchAsync(role, child);
        await child.TellAsync(JsonSerializer.Serialize(order, RoleJson.Default.RoleOrder));
    }

    private async Task WatchAsync(int role, ChildProcess child)
    {
        int code = await child.Exit;
        Answer(new(AgentMessageKind.Ended, role, Text: child.LastLines, Code: code));
    }

    private void Answer(AgentMessage message) => _answers.Writer.TryWrite(message);
}
