using System.CommandLine;
using QuickSilver.Bench;

namespace QuickSilver.TestPrograms;

/// <summary>The part of the command line that says what to send.</summary>
internal sealed class TrafficArguments
{
    private readonly Option<long?> _count = new("--count")
    {
        Description = "Send so many generated messages. Without it: the lines of standard input.",
        HelpName = "N",
    };

    private readonly Option<int> _size = new Option<int>("--size")
    {
        Description = "Size of a generated message.",
        HelpName = "BYTES",
        DefaultValueFactory = _ => 1000,
    }.AtLeast(1);

    private readonly Option<double> _rate = new Option<double>("--rate")
    {
        Description = "Messages a second. Default: as fast as they are taken.",
        HelpName = "PER_SECOND",
    }.AtLeast(0);

    private readonly Option<int> _members = new Option<int>("--members")
    {
        Description = "Wait first until each group has so many members, this one included.",
        HelpName = "M",
        DefaultValueFactory = _ => 1,
    }.AtLeast(1);

    /// <summary>Adds the options to a command.</summary>
    public void AddTo(Command command)
    {
        foreach (Option option in (Option[])[_count, _size, _rate, _members]) command.Options.Add(option);
        _count.Validators.Add(result =>
        {
            if (result.GetValueOrDefault<long?>() < 0) result.AddError("--count is negative.");
        });
    }

    /// <summary>What was said.</summary>
    public TrafficSetup Read(ParseResult parsed) =>
        new(parsed.GetValue(_count), parsed.GetValue(_size), parsed.GetValue(_rate), parsed.GetValue(_members));
}
