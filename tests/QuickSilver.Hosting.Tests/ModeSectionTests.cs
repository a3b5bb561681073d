using System.Globalization;
using System.Reflection;
using Microsoft.Extensions.Configuration;

namespace QuickSilver.Hosting.Tests;

/// <summary>The section of a group or publisher names its mode, alone or with the mode's options.</summary>
public sealed class ModeSectionTests
{
    public static TheoryData<string, bool> Modes =>
        [.. Enum.GetNames<GroupMode>().SelectMany(static name => new[] { (name, true), (name, false) })];

    [Theory]
    [MemberData(nameof(Modes))]
    public void Every_option_of_every_mode_has_a_key(string name, bool isGroup)
    {
        Type type = typeof(ModeOptions).Assembly.GetType($"QuickSilver.{name}Mode", throwOnError: true)!;
        PropertyInfo[] options = [.. type.GetProperties().Where(static option => option.CanWrite)];
        Assert.NotEmpty(options);
        object expected = Activator.CreateInstance(type)!;
        (ModeOptions? named, string[] none) = Bind(isGroup, ("", name.ToLowerInvariant()));
        Assert.Equal(expected, named);
        Assert.Empty(none);

        var keys = new List<(string, string?)> { ("Kind", name) };
        foreach (PropertyInfo option in options)
        {
            object value = Other(Nullable.GetUnderlyingType(option.PropertyType) ?? option.PropertyType,
                option.GetValue(expected));
            option.SetValue(expected, value);
            keys.Add((option.Name, string.Format(CultureInfo.InvariantCulture, "{0}", value)));
        }
        (ModeOptions? mode, string[] findings) = Bind(isGroup, [.. keys]);
        Assert.Empty(findings);
        Assert.Equal(expected, mode);
    }

    [Fact]
    public void Mistakes_in_the_section_of_a_mode_are_told_by_their_paths()
    {
        Assert.Equal(
            ["Group.Mode: 'Telepathy' does not fit: it is one of Reliable, Lateral, Timed, Ordered"],
            Told(("", "Telepathy")));
        Assert.Equal(
            ["Group.Mode.Kind: 'Telepathy' does not fit: it is one of Reliable, Lateral, Timed, Ordered"],
            Told(("Kind", "Telepathy"), ("Deadline", "00:00:01")));
        Assert.Equal(
            ["Group.Mode.Kind: is missing: it is one of Reliable, Lateral, Timed, Ordered"],
            Told(("LatestOnly", "true")));
        Assert.Equal(
            [
                "Group.Mode.Deadline: there is no such option in the mode TimedMode",
                "Group.Mode.LatestOnly: is one value, and has keys of its own",
                "Group.Mode.PacketsPerSecond: 'many' does not fit: "
                    + "The input string 'many' was not in a correct format.",
            ],
            Told(("Kind", "Timed"), ("Deadline", "1"), ("LatestOnly:0", "1"), ("PacketsPerSecond", "many")));
        Assert.Equal(
            ["Group.Mode.Level: 'Some' does not fit: it is one of Agreed, Safe"],
            ToldOf(("Kind", "Ordered"), ("Level", "Some")));

        // What is empty, as null of JSON is, says nothing.
        Assert.Empty(Told(("", null)));
        (ModeOptions? mode, string[] findings) = Bind(isGroup: true, ("Kind", "Timed"), ("TimeToLive", null));
        Assert.Equal(new TimedMode(), mode);
        Assert.Empty(findings);

        // Several sources make one section: one names the mode, another sets an option.
        (mode, findings) = Bind(isGroup: true, ("", "Reliable"), ("hybrid", "true"));
        Assert.Equal(new ReliableMode { Hybrid = true }, mode);
        Assert.Empty(findings);
    }

    private static string[] Told(params (string Key, string? Value)[] keys)
    {
        (ModeOptions? mode, string[] findings) = Bind(isGroup: true, keys);
        if (findings.Length < 3) Assert.Equal(new ReliableMode(), mode);
        return [.. findings.Order(StringComparer.Ordinal)];
    }

    private static string[] ToldOf(params (string Key, string? Value)[] keys) => Bind(isGroup: true, keys).Findings;

    private static (ModeOptions? Mode, string[] Findings) Bind(
        bool isGroup, params (string Key, string? Value)[] keys)
    {
        string path = isGroup ? "all:world:Group:Mode" : "all:world:Publisher:Mode";
        IConfigurationSection section = new ConfigurationBuilder().AddInMemoryCollection(keys.Select(
            key => KeyValuePair.Create(key.Key.Length == 0 ? path : $"{path}:{key.Key}", key.Value)))
            .Build().GetSection("all:world");
        if (isGroup)
        {
            var group = new HostedGroupOptions();
            string[] told = [.. SectionBinder.Bind(section, group)];
            return (group.Group.Mode, told);
        }
        var publisher = new HostedPublisherOptions();
        string[] findings = [.. SectionBinder.Bind(section, publisher)];
        return (publisher.Publisher.Mode, findings);
    }

    private static object Other(Type type, object? value) =>
        type == typeof(bool) ? !(bool)value!
        : type == typeof(TimeSpan) ? TimeSpan.FromMilliseconds(77)
        : type.IsEnum ? Enum.GetValues(type).Cast<object>().First(one => !one.Equals(value))
        : Convert.ChangeType(7, type, CultureInfo.InvariantCulture);
}
