using BenchmarkDotNet.Attributes;
using QuickSilver.Typed;

namespace QuickSilver.Benchmarks.Typed;

/// <summary>
/// How long a request to one responder takes, beside two messages of values by hand: one there, one back. Two nodes in
/// the memory of this process.
/// </summary>
[MemoryDiagnoser]
public class RequestBenchmarks
{
    private readonly Sample _sample = new("ABC", 1.25m, "question");
    private TwoNodes _nodes = null!;
    private RequestGroup<Sample, Sample> _asker = null!;
    private RequestGroup<Sample, Sample> _answerer = null!;
    private Group<Sample> _there = null!;
    private IAsyncEnumerator<TypedMessage<Sample>> _back = null!;
    private Task _echoing = Task.CompletedTask;

    [GlobalSetup]
    public async Task SetUp()
    {
        _nodes = await TwoNodes.StartAsync();
        var json = new JsonPayloadSerializer<Sample>(SampleContext.Default.Sample);
        _asker = await _nodes.One.JoinRequestsAsync("requests", json, json);
        _answerer = await _nodes.Other.JoinRequestsAsync(
            "requests", json, json, static (request, _) => ValueTask.FromResult(request.Value));
        await _asker.Raw.WaitForMembersAsync(2);

        var sending = new GroupOptions { SelfDelivery = false };
        _there = (await _nodes.One.JoinAsync("there", sending)).As(json);
        Group<Sample> heard = (await _nodes.Other.JoinAsync("there", sending)).As(json);
        Group<Sample> answers = (await _nodes.Other.JoinAsync("back", sending)).As(json);
        Group<Sample> back = (await _nodes.One.JoinAsync("back", sending)).As(json);
        await _there.Raw.WaitForMembersAsync(2);
        await answers.Raw.WaitForMembersAsync(2);
        _back = back.ReadAllAsync().GetAsyncEnumerator();
        _echoing = EchoAsync(heard, answers);
    }

    [GlobalCleanup]
    public async Task CleanUp()
    {
        await _nodes.DisposeAsync();
        await _echoing;
    }

    [Benchmark(Baseline = true)]
    public async Task<decimal> TwoMessages()
    {
        await _there.SendAsync(_sample);
        await _back.MoveNextAsync();
        return _back.Current.Value.Price;
    }

    [Benchmark]
    public async Task<int> Request() => (await _asker.RequestAsync(_sample)).Replies.Count;

    private static async Task EchoAsync(Group<Sample> heard, Group<Sample> answers)
    {
        await foreach (TypedMessage<Sample> message in heard.ReadAllAsync()) await answers.SendAsync(message.Value);
    }
}
