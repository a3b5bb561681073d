using System.CommandLine;
using QuickSilver.Bench;
using QuickSilver.Bench.Lab;
using QuickSilver.Bench.Streams;
using QuickSilver.Bench.Traffic;

namespace QuickSilver.Scenarios.Arguments;

/// <summary>The options of a scenario that runs <see cref="StreamPlan"/>s.</summary>
internal sealed class StreamPlanOptions
{
    private readonly Option<int> _receivers;
    private readonly Option<int> _size =
        new Option<int>("--size")
        {
            Description = "Bytes of a message.",
            DefaultValueFactory = _ => 1000
        }.AtLeast(MeasuredHeader.Bytes);
    private readonly Option<double> _rate;
    private readonly Option<double> _warmUp;
    private readonly Option<int> _repeat = new Option<int>("--repeat")
    { Description = "Repetitions.", DefaultValueFactory = _ => 5 }.AtLeast(1);
    private readonly Option<NetProfile> _net = NetOption.Make();

    /// <summary>Makes them, with a scenario's own defaults.</summary>
    public StreamPlanOptions(double rate, double warmUp, double seconds, int fewestReceivers = 1)
    {
        _receivers = new Option<int>("--receivers")
        {
            Description = "Receiver processes.",
            DefaultValueFactory = _ => 3
        }.AtLeast(fewestReceivers);
        _rate = new Option<double>("--rate")
        {
            Description = "Messages a second of each sender; 0: full speed.",
            DefaultValueFactory = _ => rate,
        }.AtLeast(0);
        _warmUp = new Option<double>("--warmup")
        { Description = "Seconds before measuring.", DefaultValueFactory = _ => warmUp }.AtLeast(0);
        Seconds = new Option<double>("--seconds")
        { Description = "Seconds measured.", DefaultValueFactory = _ => seconds }.Above(0);
    }

    /// <summary>Seconds measured, for a scenario that has something to say about them.</summary>
    public Option<double> Seconds { get; }

    /// <summary>All of them.</summary>
    public IReadOnlyList<Option> All => [_receivers, _size, _rate, _warmUp, Seconds, _repeat, _net];

    /// <summary>How often to run.</summary>
    public int Repetitions(ParseResult parsed) => parsed.GetValue(_repeat);

    /// <summary>What to run, with one sender.</summary>
    public StreamPlan Plan(ParseResult parsed) => new()
    {
        Net = parsed.GetValue(_net),
        Receivers = parsed.GetValue(_receivers),
        Size = parsed.GetValue(_size),
        Rate = parsed.GetValue(_rate),
        WarmUpSeconds = parsed.GetValue(_warmUp),
        MeasuredSeconds = parsed.GetValue(Seconds),
    };
}
