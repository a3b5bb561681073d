using System.Globalization;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text.RegularExpressions;
using QuickSilver.Protocol.Core;
using QuickSilver.Tests.Repository;

namespace QuickSilver.Protocol.Tests.Repository;

/// <summary>A time that the protocol has as a constant, or as the default of a setting.</summary>
/// <param name="Room">The first part of its namespace within the protocol.</param>
/// <param name="Name">Type and member.</param>
/// <param name="Value">The time.</param>
/// <param name="Text">The first sentence of its comment in the source; empty without a comment.</param>
internal sealed partial record ProtocolTimer(string Room, string Name, TimeSpan Value, string Text)
{
    private const string Root = "QuickSilver.Protocol.";
    private const BindingFlags Declared =
        BindingFlags.Static | BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic
        | BindingFlags.DeclaredOnly;

    /// <summary>The text, or the words of the name.</summary>
    public string Says => Text.Length > 0
        ? Text : Words().Replace(Name[(Name.IndexOf('.', StringComparison.Ordinal) + 1)..], " $0").ToLowerInvariant();

    /// <summary>The value in its largest whole unit.</summary>
    public string Time
    {
        get
        {
            (long ticks, string unit)[] units = [
                (TimeSpan.TicksPerHour, "h"), (TimeSpan.TicksPerMinute, "min"), (TimeSpan.TicksPerSecond, "s"),
                (TimeSpan.TicksPerMillisecond, "ms"), (TimeSpan.TicksPerMicrosecond, "us")];
            (long ticks, string unit) = units.First(unit => Value.Ticks % unit.ticks == 0);
            return string.Create(CultureInfo.InvariantCulture, $"{Value.Ticks / ticks} {unit}");
        }
    }

    /// <summary>All timers of the protocol, by room and name.</summary>
    public static IReadOnlyList<ProtocolTimer> All()
    {
        ILookup<string, string> sources = Directory
            .EnumerateFiles(SourceTree.PathOf("src/QuickSilver.Protocol"), "*.cs", SearchOption.AllDirectories)
            .Where(static file => !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}"))
            .ToLookup(static file => Path.GetFileNameWithoutExtension(file), File.ReadAllText);
        var found = new List<ProtocolTimer>();
        foreach (Type type in typeof(Instant).Assembly.GetTypes())
        {
            if (type.Namespace?.StartsWith(Root, StringComparison.Ordinal) != true || IsGenerated(type)) continue;
            string room = type.Namespace[Root.Length..].Split('.')[0];
            foreach ((string name, TimeSpan value) in Of(type))
                found.Add(new(room, $"{type.Name}.{name}", value, Comment(sources, type, name)));
        }
        return [.. found.OrderBy(static timer => timer.Room, StringComparer.Ordinal)
            .ThenBy(static timer => timer.Name, StringComparer.Ordinal)];
    }

    private static IEnumerable<(string Name, TimeSpan Value)> Of(Type type)
    {
        foreach (FieldInfo field in type.GetFields(Declared))
        {
            if (field is { IsStatic: true, IsInitOnly: true } && field.FieldType == typeof(TimeSpan)
                && !IsGenerated(field))
                yield return (field.Name, (TimeSpan)field.GetValue(null)!);
        }
        // Defaults of settings: what a new instance has.
        if (type.IsAbstract || type.GetConstructor([]) is null || type.ContainsGenericParameters) yield break;
        foreach (PropertyInfo property in type.GetProperties(Declared))
        {
            if (property.PropertyType != typeof(TimeSpan) || !IsInitOnly(property)) continue;
            var value = (TimeSpan)property.GetValue(Activator.CreateInstance(type))!;
            if (value > TimeSpan.Zero) yield return (property.Name, value);
        }
    }

    private static string Comment(ILookup<string, string> sources, Type type, string name)
    {
        Type outer = type;
        while (outer.DeclaringType is { } declaring) outer = declaring;
        string[] lines = (sources[outer.Name].FirstOrDefault(
            text => text.Contains($"namespace {outer.Namespace};", StringComparison.Ordinal)) ?? "").Split('\n');
        int at = Array.FindIndex(lines, line => Regex.IsMatch(line, $@"TimeSpan {name}\b.* = |TimeSpan {name}\b.*\{{"));
        int first = at;
        while (first > 0 && lines[first - 1].TrimStart().StartsWith("//", StringComparison.Ordinal)) first--;
        if (at < 0 || first == at) return "";
        string text = string.Join(' ', lines[first..at].Select(static line => line.Trim().TrimStart('/').Trim()));
        text = text.Split("</summary>")[0].Replace("<summary>", "", StringComparison.Ordinal);
        return Sentence().Match(Reference().Replace(text, "`$1`").Trim()).Value;
    }

    private static bool IsGenerated(MemberInfo member) => member.IsDefined(typeof(CompilerGeneratedAttribute));

    private static bool IsInitOnly(PropertyInfo property) => property.SetMethod?.ReturnParameter
        .GetRequiredCustomModifiers().Contains(typeof(IsExternalInit)) == true;

    [GeneratedRegex("(?<=[a-z])[A-Z]")]
    private static partial Regex Words();

    [GeneratedRegex("<(?:see cref|paramref name)=\"(?:[\\w.]*\\.)?(\\w+)(?:\\([^\"]*\\))?\" ?/>")]
    private static partial Regex Reference();

    [GeneratedRegex(@"^.*?\.(?=\s|$)|^.+$")]
    private static partial Regex Sentence();
}
