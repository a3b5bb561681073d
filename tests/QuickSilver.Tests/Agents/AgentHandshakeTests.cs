using System.Net;
using System.Net.Sockets;
using System.Text;
using QuickSilver.Bench.Agents;
using QuickSilver.Bench.Roles;

namespace QuickSilver.Tests.Agents;

/// <summary>An agent takes orders only from one coordinator at a time, and only from one that knows its key.</summary>
public sealed class AgentHandshakeTests : IAsyncDisposable
{

    private readonly AgentKey _key = AgentKey.Generate();
    private readonly CancellationTokenSource _end = new();
    private readonly AgentServer _server;
    private readonly Task _serving;

    public AgentHandshakeTests()
    {
        _server = AgentServer.Listen(new IPEndPoint(IPAddress.Loopback, 0), _key, null);
        _serving = _server.RunAsync(_end.Token);
    }

    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    private string Name => _server.EndPoint.ToString();

    [Fact]
    public async Task Who_knows_the_key_is_told_what_the_host_is()
    {
        await using AgentLink link = await AgentLink.ConnectAsync(Name, _key, Ct);
        Assert.Equal(Environment.ProcessorCount, link.Facts.Machine.Cores);
        Assert.True(link.Facts.IsLoopback);
        Assert.True(link.Facts.Mtu > 0);
        Assert.NotEmpty(link.Facts.Card);
    }

    [Fact]
    public void A_key_is_read_as_it_was_made()
    {
        string folder = Directory.CreateTempSubdirectory().FullName;
        for (int number = 0; number < 300; number++)
        {
            var made = AgentKey.Generate();
            string file = Path.Combine(folder, $"{number}");
            made.Write(file);
            Assert.Equal(made.Prove("label", [1], [2]), AgentKey.Read(file).Prove("label", [1], [2]));
        }
        Directory.Delete(folder, recursive: true);
    }

    [Fact]
    public async Task A_wrong_key_gets_a_nonce_and_nothing_else()
    {
        using var client = new TcpClient();
        await client.ConnectAsync(_server.EndPoint, Ct);
        AgentConnection connection = await AgentHandshake.ConnectAsync(client.GetStream(), AgentKey.Generate(), Ct);
        Assert.Null(await connection.ReadAsync(Ct));

        RunFailedException refused = await Assert.ThrowsAsync<RunFailedException>(
            () => AgentLink.ConnectAsync(Name, AgentKey.Generate(), Ct));
        Assert.Contains($"agent {Name}: does not take this key", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{\"version\":1}\n")]
    [InlineData("{\"version\":2,\"nonce\":\"AAAA\",\"proof\":\"AAAA\"}\n")]
    [InlineData("no JSON\n")]
    [InlineData("null\n")]
    [InlineData("\n")]
    public async Task What_is_no_proof_ends_the_connection_unanswered(string line)
    {
        Assert.Equal(0, await AnswerToAsync(Encoding.UTF8.GetBytes(line)));
    }

    [Fact]
    public async Task A_line_without_end_is_not_gathered() =>
        Assert.Equal(0, await AnswerToAsync([.. Enumerable.Repeat((byte)'a', 1 << 16)]));

    [Fact]
    public async Task A_second_coordinator_is_told_that_the_agent_is_busy_and_may_come_when_the_first_has_gone()
    {
        await using (await AgentLink.ConnectAsync(Name, _key, Ct))
        {
            RunFailedException refused = await Assert.ThrowsAsync<RunFailedException>(
                () => AgentLink.ConnectAsync(Name, _key, Ct));
            Assert.Equal($"agent {Name}: is busy with another run", refused.Message);
        }
        await using AgentLink next = await ConnectWhenFreeAsync();
        Assert.Equal(Name, next.Name);
    }

    [Fact]
    public async Task A_line_that_the_coordinator_did_not_seal_ends_the_run()
    {
        using var client = new TcpClient();
        await client.ConnectAsync(_server.EndPoint, Ct);
        AgentConnection connection = await AgentHandshake.ConnectAsync(client.GetStream(), _key, Ct);
        Assert.Equal(AgentMessageKind.Welcome, (await connection.ReadAsync(Ct))!.Kind);
        string forged = new string('0', 64) + " {\"kind\":\"ping\"}\n";
        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(forged), Ct);
        Assert.Null(await connection.ReadAsync(Ct));
        await using AgentLink next = await ConnectWhenFreeAsync();
        Assert.Equal(Name, next.Name);
    }

    [Fact]
    public async Task A_repeated_line_ends_the_run()
    {
        using var client = new TcpClient();
        await client.ConnectAsync(_server.EndPoint, Ct);
        await using var twice = new TwiceStream(client.GetStream());
        AgentConnection connection = await AgentHandshake.ConnectAsync(twice, _key, Ct);
        Assert.Equal(AgentMessageKind.Welcome, (await connection.ReadAsync(Ct))!.Kind);
        twice.Repeats = true;
        await connection.WriteAsync(new AgentMessage(AgentMessageKind.Ping));
        Assert.Equal(AgentMessageKind.Ping, (await connection.ReadAsync(Ct))!.Kind);
        Assert.Null(await connection.ReadAsync(Ct));
    }

    [Fact]
    public async Task A_coordinator_that_says_nothing_any_more_loses_its_run()
    {
        using var client = new TcpClient();
        await client.ConnectAsync(_server.EndPoint, Ct);
        AgentConnection connection = await AgentHandshake.ConnectAsync(client.GetStream(), _key, Ct);
        Assert.Equal(AgentMessageKind.Welcome, (await connection.ReadAsync(Ct))!.Kind);
        Assert.Null(await connection.ReadAsync(Ct));
        await using AgentLink next = await ConnectWhenFreeAsync();
        Assert.Equal(Name, next.Name);
    }

    [Fact]
    public async Task An_agent_that_is_away_is_named()
    {
        using var taken = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        taken.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        RunFailedException refused = await Assert.ThrowsAsync<RunFailedException>(
            () => AgentLink.ConnectAsync(taken.LocalEndPoint!.ToString()!, _key, Ct));
        Assert.StartsWith($"agent {taken.LocalEndPoint}: cannot be reached", refused.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("{\"version\":2,\"nonce\":\"AAAA\"}\n", "speaks version 2 of the protocol, not 1")]
    [InlineData("220 mail.example ESMTP\n", "what answers there is no agent")]
    public async Task What_is_not_an_agent_of_this_version_is_named(string greeting, string reason)
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Task<AgentLink> calling = AgentLink.ConnectAsync(listener.LocalEndpoint.ToString()!, _key, Ct);
        using Socket socket = await listener.AcceptSocketAsync(Ct);
        await socket.SendAsync(Encoding.UTF8.GetBytes(greeting), Ct);
        RunFailedException refused = await Assert.ThrowsAsync<RunFailedException>(() => calling);
        Assert.StartsWith($"agent {listener.LocalEndpoint}: {reason}", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task An_agent_that_does_not_answer_is_named_with_the_way_out()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        RunFailedException silent = await Assert.ThrowsAsync<RunFailedException>(
            () => AgentLink.ConnectAsync(
                listener.LocalEndpoint.ToString()!, _key, Ct, AgentLimits.OfSeconds(answer: 0.2, silence: 8)));
        Assert.Contains("did not answer", silent.Message, StringComparison.Ordinal);
        Assert.Contains("--agent-answer", silent.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_key_that_is_too_short_is_refused()
    {
        string file = Path.GetTempFileName();
        File.WriteAllText(file, "short\n");
        RunFailedException refused = Assert.Throws<RunFailedException>(() => AgentKey.Read(file));
        Assert.Contains("has 5 bytes, less than 32", refused.Message, StringComparison.Ordinal);
        File.Delete(file);
    }

    public async ValueTask DisposeAsync()
    {
        await _end.CancelAsync();
        await _serving;
        _server.Dispose();
        _end.Dispose();
    }

    private async Task<AgentLink> ConnectWhenFreeAsync()
    {
        while (true)
        {
            try
            {
                return await AgentLink.ConnectAsync(Name, _key, Ct);
            }
            catch (RunFailedException failure) when (failure.Message.EndsWith("another run", StringComparison.Ordinal))
            {
                await Task.Delay(50, Ct);
            }
        }
    }

    // Bytes that the agent says after its greeting, until it has closed.
    private async Task<int> AnswerToAsync(byte[] said)
    {
        using var client = new TcpClient();
        await client.ConnectAsync(_server.EndPoint, Ct);
        NetworkStream stream = client.GetStream();
        Assert.NotNull(await new LineReader(stream, AgentHandshake.MostBytes).ReadAsync(Ct));
        try
        {
            await stream.WriteAsync(said, Ct);
            return await stream.ReadAsync(new byte[1024], Ct);
        }
        catch (IOException)
        {
            // Closed with what was unread.
            return 0;
        }
    }
}
